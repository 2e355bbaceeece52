"""Masks of targets without mask registers: whole lanes, not single bits, wherever LLVM would pack them.

LLVM's code generator treats one block at a time. A ``<8 x i1>`` that lives across
blocks becomes a vector of 16-bit lanes on machines without mask registers, and is
packed and unpacked around every branch. So, when LLVM has finished simplifying::

    a:  %m = fcmp ogt <8 x float> %x, %y
    b:  %s = select <8 x i1> %m, ...

becomes

    a:  %m = fcmp ogt <8 x float> %x, %y
        %m.wide = sext <8 x i1> %m to <8 x i32>
    b:  %m.here = icmp slt <8 x i32> %m.wide, zeroinitializer
        %s = select <8 x i1> %m.here, ...

A phi of masks becomes a phi of wide ones. What is joined by ``and``, ``or`` and the like is packed to bytes within a block
too, where its lanes fill several registers; then the wide ones are joined::

    %n = and <16 x i1> %m, %live    ->    %n.wide = and <16 x i32> %m.wide, %live.wide

Within one register it is so where one of them comes from another block and only signs are needed of the result.

A lane is on where the number is negative. How wide lanes are says ``passes/masks/widths.py``.
Nothing simplifies the text afterwards.
"""

from __future__ import annotations

from functools import cached_property

from voltac.ir import marks
from voltac.ir import match as m
from voltac.ir.constants import integers, written
from voltac.ir.model import Block, Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.read import read
from voltac.ir.types import lanes_of
from voltac.ir.uses import Uses
from voltac.ir.write import write
from voltac.options import Options
from voltac.passes.masks.from_lanes import make_masks_of_lanes
from voltac.passes.masks.widths import JOINING, Masks, lane_bits, masks_of
from voltac.target_info import TargetInfo

_WORD = 32
"""Bits of what most programs compute with: their masks in wider lanes would be narrowed at each selection."""
_BITWISE = frozenset(("and", "or"))
_SIGNS = m.negative(m.value("lanes"))
_CONSTANTS = {"zeroinitializer": "zeroinitializer", "poison": "poison", "undef": "undef"}


def keep_masks_wide(text: str, options: Options) -> str:
    """The module's text, unchanged if LLVM would pack no mask or the target has mask registers."""
    target = options.target
    if target.has_mask_registers:
        return text
    module = read(text, _uses_masks)
    records = None
    if "#dbg_" in text:
        from voltac.ir.debug_records import DebugRecords  # for -g only

        records = DebugRecords(module)
    changed = False
    for function in module.functions:
        masks = masks_of(function, target.mask_bits)
        wide = target.mask_bits > _WORD or any(masks.size(name) > target.vector_bits for name in masks.made)
        if wide and make_masks_of_lanes(function):
            masks = masks_of(function, target.mask_bits)
        changed = (bool(masks.made) and _Widening(function, masks, target).run()) or changed
    if not changed:
        return text
    if records is not None:
        records.put_back()
    return write(module)


def _uses_masks(header: str, lines: list[str]) -> bool:
    """Whether a function that is often called hands masks on at all."""
    return not marks.is_seldom_called(header) and any(
        " x i1> " in line and (" x i1> %" in line or " x i1> [" in line) for line in lines
    )


class _Widening:
    """One function."""

    def __init__(self, function: Function, masks: Masks, target: TargetInfo) -> None:
        self._function = function
        self._target = target
        self._masks = masks
        self._made = masks.made
        self._bits = masks.bits
        self._definitions = {name: instruction for name, (instruction, _) in masks.made.items()}
        self._fresh = function.fresh_names()
        self._wide: dict[str, str] = {}
        """Mask -> the value that carries its lanes, a negative number in those that are on."""
        self._born_wide: set[str] = set()
        """Masks that are made in no other form."""
        self._signs_only: set[str] = set()
        """Masks whose lanes may be any numbers, negative or not; those of others are -1 and 0."""
        self._extensions: dict[str, Instruction] = {}
        """Mask -> what makes its lanes of it, right behind it; an argument's are made first of all."""

    def run(self) -> bool:
        for name, (instruction, _) in self._made.items():
            if self._is_born_wide(instruction):
                self._born_wide.add(name)
        if self._born_wide:
            self._born_wide.update(self._contraries())
        self._find_signs_only()
        for name in [each for each in self._made if each in self._born_wide]:
            self._wide[name] = self._fresh("mask.phi" if self._definitions[name].op == "phi" else self._stem(name))
        for block in self._function.blocks:
            block.instructions[:] = [
                self._made_wide(each) if each.name in self._born_wide else each for each in block.instructions
            ]
        changed = bool(self._born_wide)
        for block in self._function.blocks:
            changed = self._test_wide(block) or changed
        replaced: dict[str, str] = {}
        for block in self._function.blocks:
            changed = self._use_here(block, replaced) or changed
            self._merge_phis(block, replaced)
        self._put_extensions()
        self._function.replace_uses(replaced)
        return changed

    def _is_born_wide(self, instruction: Instruction) -> bool:
        if instruction.op == "phi":
            return True
        if not self._fills_several(instruction.name):
            return instruction.op in _BITWISE and self._joins_others(instruction)
        if instruction.op == "trunc":
            return self._bits[instruction.name] >= 16 and instruction.operands[0].type == self._wide_type(instruction.name)
        return instruction.op in JOINING

    def _joins_others(self, instruction: Instruction) -> bool:
        """Whether an operand comes as lanes, whose signs would be asked for first, and nothing needs more than signs."""
        name, block = instruction.name, self._made[instruction.name][1]
        if not any(self._is_foreign(each.value, block) for each in instruction.operands):
            return False
        return all(self._needs_signs(user, self._bits[name]) for user in self._uses.of(name))

    def _needs_signs(self, user: Instruction, bits: int) -> bool:
        """Whether a mask's user takes no more of its lanes than signs: LLVM makes others, narrower or -1 and 0, first."""
        if user.op == "select":
            return user.type.endswith(" x i1>") or lane_bits(user.type) == bits
        return user.op != "call" or "@llvm.masked." in user.text

    def _contraries(self) -> list[str]:
        """What is only joined to lanes, and as bits would be a comparison beside that of which it is the contrary."""
        made = [name for name, each in self._definitions.items() if each.op == "xor" and name not in self._born_wide]
        return [name for name in made if all(each.name in self._born_wide for each in self._uses.of(name))]

    def _fills_several(self, name: str) -> bool:
        """Whether the lanes of a mask take more than one register."""
        return self._masks.size(name) > self._target.vector_bits

    def _wide_type(self, name: str) -> str:
        return f"<{lanes_of(self._definitions[name].type)} x i{self._bits[name]}>"

    def _stem(self, name: str) -> str:
        return f"{name[1:].strip(chr(34))}.wide" if name[1].isalpha() else "mask.wide"

    def _find_signs_only(self) -> None:
        waiting = [name for name in self._made if self._definitions[name].op == "trunc" and name in self._born_wide]
        waiting += [name for name in self._made if self._lanes_behind(name)]
        users = Uses(self._definitions.values() if waiting else ())
        while waiting:
            name = waiting.pop()
            if name not in self._signs_only:
                self._signs_only.add(name)
                waiting += [user.name for user in users.of(name) if user.name in self._born_wide]

    def _lanes_behind(self, name: str) -> str:
        """The numbers whose signs a mask is, if they are as wide as its lanes are to be."""
        signs = _SIGNS.find(name, self._definitions)
        return signs["lanes"].value if signs is not None and signs["lanes"].type == self._wide_type(name) else ""

    # --- masks as lanes ---

    def _wide_of(self, name: str) -> str:
        known = self._wide.get(name)
        if known is not None:
            return known
        lanes = self._lanes_behind(name)
        if lanes:
            self._wide[name] = lanes
            return lanes
        return self._extended(name, self._definitions[name].type, self._wide_type(name))

    def _extended(self, name: str, mask_type: str, wide_type: str) -> str:
        wide = self._wide[name] = self._fresh(self._stem(name))
        self._extensions[name] = Instruction(f"  {wide} = sext {mask_type} {name} to {wide_type}")
        return wide

    def _put_extensions(self) -> None:
        for number, block in enumerate(self._function.blocks):
            instructions = [] if number else [made for name, made in self._extensions.items() if name not in self._made]
            for instruction in block.instructions:
                instructions.append(instruction)
                if instruction.name in self._extensions:
                    instructions.append(self._extensions[instruction.name])
            block.instructions[:] = instructions

    def _widened(self, operand: Operand, wide_type: str) -> str:
        value = operand.value
        if value in self._made:
            return self._wide_of(value)
        if value.startswith("%"):  # an argument
            return self._wide.get(value) or self._extended(value, operand.type, wide_type)
        if value in _CONSTANTS:
            return _CONSTANTS[value]
        lanes = integers(operand.type, value)
        assert lanes is not None, value
        return written(wide_type, [-lane for lane in lanes])

    def _made_wide(self, instruction: Instruction) -> Instruction:
        """What makes the lanes of a mask, in place of what makes its bits."""
        name, op, operands = instruction.name, instruction.op, instruction.operands
        wide, lanes = self._wide[name], self._wide_type(name)
        if op == "phi":
            arms = [f"[ {self._widened(each, lanes)}, %{label} ]" for each, label in zip(operands, instruction.parts.labels)]
            return Instruction(f"  {wide} = phi {lanes} {', '.join(arms)}")
        if op == "trunc":
            top = written(lanes, [self._bits[name] - 1] * lanes_of(lanes))
            return Instruction(f"  {wide} = shl {lanes} {operands[0].value}, {top}")
        if op == "select":
            condition, chosen, other = operands
            values = f"{lanes} {self._widened(chosen, lanes)}, {lanes} {self._widened(other, lanes)}"
            return Instruction(f"  {wide} = select {condition.type} {condition.value}, {values}")
        return Instruction(f"  {wide} = {op} {lanes} {', '.join(self._widened(each, lanes) for each in operands)}")

    # --- lanes as masks ---

    def _is_foreign(self, name: str, block: Block) -> bool:
        """Whether a mask is to be read from its lanes in a block."""
        return name in self._made and (name in self._born_wide or self._made[name][1] is not block)

    def _use_here(self, block: Block, replaced: dict[str, str]) -> bool:
        here: dict[str, str] = {}
        changed = False
        instructions: list[Instruction] = []
        for instruction in block.instructions:
            if instruction.op == "phi" or "i1>" not in instruction.text:
                instructions.append(instruction)
                continue
            names = [name for name in instruction.names_used() if self._is_foreign(name, block)]
            if names and self._is_its_lanes(instruction):
                replaced[instruction.name] = self._wide_of(names[0])
                changed = True
                continue
            if names and self._selects_or_zero(instruction):
                instructions += self._selected_or_zero(instruction)
                changed = True
                continue
            for name in names:
                if name not in here:
                    # A number for a name would stand behind greater ones here, which LLVM does not read.
                    own = name in self._born_wide and self._made[name][1] is block and not name[1].isdigit()
                    here[name] = name if own else self._fresh("mask.here")
                    wide = self._wide_of(name)
                    instructions.append(
                        Instruction(f"  {here[name]} = icmp slt {self._wide_type(name)} {wide}, zeroinitializer")
                    )
            instructions.append(instruction)
            if names:
                instruction.rename(here)
                changed = True
        block.instructions[:] = instructions
        return changed

    def _is_its_lanes(self, instruction: Instruction) -> bool:
        """Whether an instruction makes the very lanes that carry a mask."""
        if instruction.op != "sext":
            return False
        name = instruction.operands[0].value
        return instruction.type == self._wide_type(name) and name not in self._signs_only

    def _selects_or_zero(self, instruction: Instruction) -> bool:
        """Whether lanes of the width of a mask, -1 or 0 in each, decide between a value and zero."""
        if instruction.op != "select" or instruction.operands[0].value not in self._made:
            return False
        name = instruction.operands[0].value
        return (
            name not in self._signs_only
            and lane_bits(instruction.type) == self._bits[name]
            and any(each.value == "zeroinitializer" for each in instruction.operands[1:])
        )

    def _selected_or_zero(self, instruction: Instruction) -> list[Instruction]:
        """LLVM does not know that the lanes are -1 or 0; what is not chosen may be poison."""
        condition, chosen, other = instruction.operands
        lanes, wide = self._wide_type(condition.value), self._wide_of(condition.value)
        lines: list[Instruction] = []

        def made(stem: str, text: str) -> str:
            lines.append(Instruction(f"  {(name := self._fresh(stem))} = {text}"))
            return name

        if chosen.value == "zeroinitializer":
            wide, chosen = made("mask.not", f"xor {lanes} {wide}, {written(lanes, [-1] * lanes_of(lanes))}"), other
        value = made("chosen", f"freeze {chosen.type} {chosen.value}")
        if chosen.type == lanes:
            return [*lines, Instruction(f"  {instruction.name} = and {lanes} {wide}, {value}")]
        value = made("chosen.bits", f"bitcast {chosen.type} {value} to {lanes}")
        value = made("chosen.bits", f"and {lanes} {wide}, {value}")
        return [*lines, Instruction(f"  {instruction.name} = bitcast {lanes} {value} to {chosen.type}")]

    def _merge_phis(self, block: Block, replaced: dict[str, str]) -> None:
        """What LLVM carried as lanes by itself would be carried twice."""
        seen: dict[str, str] = {}
        for phi in list(block.phis()):
            if " x i" not in phi.text or "x i" not in phi.type:
                continue
            phi.rename(replaced)
            arms = phi.text.partition(" = ")[2]
            if arms in seen:
                replaced[phi.name] = seen[arms]
                block.instructions.remove(phi)
            seen.setdefault(arms, phi.name)

    # --- branches on masks ---

    def _test_wide(self, block: Block) -> bool:
        """Whether any lane is on, or all are, is asked of all registers joined."""
        changed = False
        for instruction in list(block.instructions):
            if instruction.op != "bitcast" or (name := instruction.operands[0].value) not in self._made:
                continue
            if not self._fills_several(name) or not (self._is_foreign(name, block) or self._lanes_behind(name)):
                continue
            test = self._uses.single_use(instruction.name)
            if test is None or test.op != "icmp" or test not in block.instructions:
                continue
            number = test.operands[1].value
            if test.parts.predicate in ("eq", "ne") and number in ("0", "-1"):
                lines = self._joined(name, "or" if number == "0" else "and")
                bits = self._fresh("mask.bits")
                count = lanes_of(lines[-1].type)
                signs = self._fresh("mask.signs")
                lines += [
                    Instruction(f"  {signs} = icmp slt {lines[-1].type} {lines[-1].name}, zeroinitializer"),
                    Instruction(f"  {bits} = bitcast <{count} x i1> {signs} to i{count}"),
                ]
                place = block.instructions.index(instruction)
                block.instructions[place : place + 1] = lines
                test.text = f"  {test.name} = icmp {test.parts.predicate} i{count} {bits}, {number}"
                changed = True
        return changed

    @cached_property
    def _uses(self) -> Uses:
        """Of what masks are cast to, which keep their users until they are replaced with them."""
        return Uses(self._function.instructions())

    def _joined(self, name: str, op: str) -> list[Instruction]:
        """The lanes of a mask, a register's for another, until one register is left."""
        wide, lanes, bits = self._wide_of(name), lanes_of(self._definitions[name].type), self._bits[name]
        lines: list[Instruction] = []
        while lanes * bits > self._target.vector_bits:
            whole, lanes = f"<{lanes} x i{bits}>", lanes // 2
            halves = []
            for first in (0, lanes):
                taken = ", ".join(f"i32 {number}" for number in range(first, first + lanes))
                halves.append(self._fresh("mask.half"))
                lines.append(
                    Instruction(f"  {halves[-1]} = shufflevector {whole} {wide}, {whole} poison, <{lanes} x i32> <{taken}>")
                )
            wide = self._fresh("mask.joined")
            lines.append(Instruction(f"  {wide} = {op} <{lanes} x i{bits}> {halves[0]}, {halves[1]}"))
        return lines
