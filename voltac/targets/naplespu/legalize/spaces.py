"""Legal IR of a program with variables in the scratchpad -> accesses of the memory that each address leads to.

    store i32 %v, ptr (@table + %o)    ->    store i32 %v, ptr addrspace(68) (@table + %o)
    %v = load i32, ptr %unknown        ->    a test of the address, and one load of each kind

Addresses of the scratchpad are a window (``isa.SCRATCHPAD_BASE``) that main memory leaves free, so a
pointer may lead anywhere. Which of the two it is follows from where it comes from: a variable of the
scratchpad, or anything else that has an address. Pointers that come from memory, or into a function
that is no kernel, are tested at run time.
"""

from __future__ import annotations

import re

from voltac.codegen.legalize.writer import DISCARD, nowhere, signed
from voltac.ir import marks
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.sections import in_scratchpad
from voltac.targets.naplespu.isa import SCRATCHPAD_BASE
from voltac.targets.naplespu.legalize.machine_facts import FACTS

NOWHERE = nowhere(FACTS)
MAIN, SCRATCHPAD, NUMBER, NOBODY, UNKNOWN = "main", "scratchpad", "number", "nobody", "unknown"
"""What an address is made of: ``number`` none yet, ``nobody`` a place that stands for no access at all."""
_NOWHERE = SCRATCHPAD_BASE + 0xF7C0
"""A line of the scratchpad for accesses of lanes that are off."""
_ACCESS = re.compile(r"ptr (\S+), align (\d+)")
_COMBINES = frozenset(("add", "sub", "and", "or", "xor", "getelementptr"))
_PASSES_ON = frozenset(
    ("inttoptr", "ptrtoint", "freeze", "extractelement", "insertelement", "shufflevector", "phi", "select", "bitcast")
)


def separate_spaces(module: Module) -> None:
    """Rewrite the functions of a module; without variables in the scratchpad there is nothing to do."""
    variables = {name for name, body in module.globals().items() if in_scratchpad(body)}
    if variables:
        for function in module.functions:
            _Spaces(function, variables).rewrite()


class _Spaces:
    def __init__(self, function: Function, variables: set[str]) -> None:
        self.function = function
        self.variables = variables
        self.definitions = function.definitions()
        self.known: dict[str, str] = {}
        kernel = marks.THREADS in function.attributes or "internal" not in function.header.split("@")[0]
        for parameter in function.parameters:
            pointer = MAIN if kernel else UNKNOWN
            self.known[parameter.name] = pointer if parameter.type == "ptr" else NUMBER
        self._settle()
        self.beginning: list[Instruction] = []
        self.fresh = function.fresh_names()

    # --- where addresses come from

    def origin(self, value: str) -> str:
        """What a value is an address of."""
        if value[0] == "%":
            return self.known[value]
        names = set(re.findall(r"@[-\w$.]+", value))
        if not names:
            return NUMBER
        if names <= {NOWHERE}:
            return NOBODY
        return SCRATCHPAD if names & self.variables else MAIN

    def _settle(self) -> None:
        """Until nothing changes: values of loops depend on themselves."""
        self.known.update(dict.fromkeys(self.definitions, NUMBER))
        changed = True
        while changed:
            changed = False
            for name, instruction in self.definitions.items():
                found = self._origin(instruction)
                if found != self.known[name]:
                    self.known[name] = found
                    changed = True

    def _origin(self, instruction: Instruction) -> str:
        if instruction.op == "alloca":
            return NOBODY if instruction.name.startswith(DISCARD) else MAIN
        if "@npu.read_control(" in instruction.text:
            return MAIN  # the address of a kernel's arguments
        if instruction.op in ("load", "call", "extractvalue"):
            return UNKNOWN if instruction.type == "ptr" else NUMBER
        operands = instruction.operands
        if instruction.op == "select":
            operands = operands[1:]
        elif instruction.op == "extractelement":
            operands = operands[:1]
        elif instruction.op == "shufflevector":
            operands = operands[:2]
        origins = [self.origin(operand.value) for operand in operands]
        if instruction.op in _COMBINES:
            return _sum(origins)
        if instruction.op in _PASSES_ON:
            return _either(origins)
        return NUMBER

    # --- accesses

    def rewrite(self) -> None:
        for block in list(self.function.blocks):
            self._block(block)
        entry = self.function.blocks[0].instructions
        entry[:0] = self.beginning

    def _block(self, block: Block) -> None:
        index = 0
        while index < len(block.instructions):
            instruction = block.instructions[index]
            if instruction.op in ("load", "store") and (found := _ACCESS.search(instruction.text)):
                pointer = found[1]
                origin = self.origin(pointer)
                if origin == SCRATCHPAD:
                    self._stay_inside(pointer, set())
                    index += self._convert(block, index)
                elif origin in (UNKNOWN, NUMBER):
                    block, index = self._test(block, index, pointer)
            index += 1

    def _convert(self, block: Block, index: int) -> int:
        """An access of the scratchpad; gives how many instructions stand before it now."""
        instruction = block.instructions[index]
        found = _ACCESS.search(instruction.text)
        assert found is not None
        name = self.fresh("inside")
        cast = Instruction(f"  {name} = addrspacecast ptr {found[1]} to ptr addrspace(68)")
        text = instruction.text[: found.start()] + f"ptr addrspace(68) {name}, align {found[2]}"
        packed = re.match(r"  store <16 x i(8|16)> (\S+),", text)
        made = [cast, Instruction(text + instruction.text[found.end() :])]
        if packed:
            # A vector of bytes takes a word for each in the scratchpad, so they are stored one by one.
            made = [cast, *self._one_by_one(int(packed[1]), packed[2], name)]
        block.instructions[index : index + 1] = made
        return len(made) - 1

    def _one_by_one(self, bits: int, vector: str, place: str) -> list[Instruction]:
        truncated = self.definitions[vector].operands[0].value
        made = []
        for lane in range(16):
            word, short, at = (self.fresh(stem) for stem in ("lane", "short", "at"))
            made += [
                f"  {word} = extractelement <16 x i32> {truncated}, i32 {lane}",
                f"  {short} = trunc i32 {word} to i{bits}",
                f"  {at} = getelementptr i8, ptr addrspace(68) {place}, i32 {lane * bits // 8}",
                f"  store i{bits} {short}, ptr addrspace(68) {at}, align {bits // 8}",
            ]
        return [Instruction(text) for text in made]

    def _test(self, block: Block, index: int, pointer: str) -> tuple[Block, int]:
        """Both accesses, and a test of the address; gives the block that goes on, and where in it the access ends."""
        instruction = block.instructions[index]
        number, inside = self.fresh("number"), self.fresh("in.scratchpad")
        labels = [self.fresh(stem)[1:] for stem in ("main", "scratchpad", "accessed")]
        rest = Block(labels[2], block.instructions[index + 1 :], f"{labels[2]}:")
        block.instructions[index:] = [
            Instruction(f"  {number} = ptrtoint ptr {pointer} to i32"),
            Instruction(f"  {inside} = icmp uge i32 {number}, {signed(SCRATCHPAD_BASE)}"),
            Instruction(f"  br i1 {inside}, label %{labels[1]}, label %{labels[0]}"),
        ]
        made = [block]
        names = []
        for label, of_scratchpad in ((labels[0], False), (labels[1], True)):
            copy = Instruction(instruction.text)
            if instruction.name:
                names.append(self.fresh("read"))
                copy.text = f"  {names[-1]}" + instruction.text[2 + len(instruction.name) :]
            part = Block(label, [copy, Instruction(f"  br label %{labels[2]}")], f"{label}:")
            if of_scratchpad:
                self._convert(part, 0)
            made.append(part)
        if instruction.name:
            arms = f"[ {names[0]}, %{labels[0]} ], [ {names[1]}, %{labels[1]} ]"
            rest.instructions.insert(0, Instruction(f"  {instruction.name} = phi {instruction.type} {arms}"))
        place = self.function.blocks.index(block)
        self.function.blocks[place : place + 1] = [*made, rest]
        for other in self.function.blocks:
            for phi in other.phis():
                if other is not rest:
                    phi.text = re.sub(rf"%{re.escape(block.name)} \]", f"%{rest.name} ]", phi.text)
        return rest, 0 if instruction.name else -1

    def _stay_inside(self, value: str, seen: set[str]) -> None:
        """Where an address of the scratchpad may be that of nobody, it is a line of the scratchpad instead."""
        instruction = self.definitions.get(value)
        if instruction is None or value in seen:
            return
        seen.add(value)
        for operand in instruction.operands:
            if operand.value[0] not in "%@" and NOWHERE not in operand.value:
                continue
            if self.origin(operand.value) == NOBODY:
                name = self.fresh("nobody")
                self.known[name] = SCRATCHPAD
                instruction.text = self._replaced(instruction, operand.type, operand.value, name)
            elif operand.type != "i1" and self.origin(operand.value) == SCRATCHPAD:
                self._stay_inside(operand.value, seen)

    def _replaced(self, instruction: Instruction, type: str, old: str, name: str) -> str:
        """The line of nobody is made when the function begins."""
        value = f"inttoptr i32 {signed(_NOWHERE)} to ptr"
        if type == "ptr":
            self.beginning.append(Instruction(f"  {name} = {value}"))
            return instruction.text.replace(old, name)
        number = signed(_NOWHERE)
        return instruction.text.replace(old, f"splat (i32 {number})" if type[0] == "<" else str(number))


def _sum(origins: list[str]) -> str:
    """Of an address and numbers."""
    found = {origin for origin in origins if origin != NUMBER}
    return found.pop() if len(found) == 1 else NUMBER if not found else UNKNOWN


def _either(origins: list[str]) -> str:
    """Of values of which one is taken."""
    found = set(origins) - {NUMBER}
    if found - {NOBODY}:
        found -= {NOBODY}
    return found.pop() if len(found) == 1 else NUMBER if not found else UNKNOWN
