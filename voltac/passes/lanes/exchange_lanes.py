"""Accesses of exchange networks, ``a[i ^ j]`` with a uniform j -> accesses of consecutive elements, and shuffles.

    %x = xor <8 x i32> %i, (splat %j)                            %i = first + <0, 1, ..., 7>, first a multiple of 8
    %v = call <8 x float> @volta.gather.v8f32(%a + %x, %mask)
    ->
    %block = and i32 (xor i32 %first, %j), -8
    %w = call <8 x float> @volta.gather.v8f32(%a + (%block + <0, 1, ..., 7>), %mask moved likewise)
    %v = %w, lane L from lane L ^ (%j & 7)

Whatever j is, the lanes of a whole gang touch one block of as many elements, each another one of it. Which of them is which
the lowest bits of j say: for each of these bits that is set, lanes change places with those at its distance; where a processor
permutes words by indices, lane L takes that of L ^ (%j & 7) at once. Masks move as the elements do, so that no element is
touched that no lane asked for.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.lane_formulas import uniform_multiple
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.match import Definitions, made_by, scalar_of_splat
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import DataLayout, element_of, integer_bits, lanes_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.accesses.emit import shuffle_text
from voltac.records import field, mutable_record
from voltac.target_info import TargetInfo

_ADDRESSES = ("getelementptr", "sext", "zext", "add", "sub", "mul", "shl")
"""From the index to the pointers: with operands beside it that are the same in all lanes, whole blocks stay what they are."""
_XOR = m.op("xor", m.value("one"), m.value("other"))
_PERMUTE, _REGISTER, _WORDS = "@llvm.x86.avx2.permd", "<8 x i32>", 8
"""Of a register of so many words, by the lowest bits of indices."""
_MOST_STEPS = 16
"""From the index to the pointers: chosen, members of members of structs take a few."""


def exchange_lanes(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        if any(" xor <" in instruction.text for instruction in function.instructions()):
            _exchange(function, layout, options.target, module)


def _exchange(function: Function, layout: DataLayout, target: TargetInfo, module: Module) -> None:
    definitions = function.definitions()
    values: LaneValues | None = None
    fresh: Callable[[str], str] | None = None
    for block in function.blocks:
        for instruction in list(block.instructions):
            if pseudo_operation(instruction) not in ("gather", "scatter"):
                continue
            if not _comes_from_xor(instruction.operands[-2].value, definitions):
                continue
            values = values or lane_values(function, layout)
            found = _find(instruction, values)
            if found is not None:
                fresh = fresh or function.fresh_names()
                found.permutes = target.isa.startswith("avx2") and lanes_of(found.exchanged.type) >= _WORDS
                found.write(block, fresh, 32 if target.mask_bits == 1 else target.mask_bits)
                if found.permutes:
                    module.declare([f"declare <8 x i32> {_PERMUTE}(<8 x i32>, <8 x i32>)"])


def _comes_from_xor(pointers: str, definitions: Definitions) -> bool:
    """Whether pointers could be those of an exchange at all, which few are, before formulas are made of them."""
    seen: set[str] = set()
    waiting = [pointers]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if made_by(("xor",), name, definitions) is not None:
            return True
        made = made_by(_ADDRESSES, name, definitions)
        waiting += [each.value for each in made.operands] if made is not None else []
    return False


def _find(access: Instruction, values: LaneValues) -> _Exchange | None:
    """The exchange that the pointers of an access are made by."""
    pointers = access.operands[-2]
    if not lanes_of(pointers.type):
        return None
    chain: list[Instruction] = []
    operand = pointers
    while len(chain) < _MOST_STEPS:
        made = made_by(_ADDRESSES, operand.value, values.definitions)
        if made is None:
            break
        irregular = [each for each in made.operands if lanes_of(each.type) and not values.is_uniform(each)]
        if len(irregular) != 1 or sum(each.value == irregular[0].value for each in made.operands) != 1:
            return None
        chain.append(made)
        operand = irregular[0]
    sides = _XOR.find(operand.value, values.definitions)
    if sides is None or not chain or values.of(pointers) is not None:
        return None
    lanes = lanes_of(operand.type)
    for index, distance in ((sides["one"], sides["other"]), (sides["other"], sides["one"])):
        formula = values.of(index)
        if formula is None or formula.offsets != tuple(range(lanes)) or not values.is_uniform(distance):
            continue
        if lanes & (lanes - 1) == 0 and uniform_multiple(formula, values.facts) % lanes == 0:
            return _Exchange(access, chain, operand, index, distance, values)
    return None


@mutable_record
class _Exchange:
    """One access; ``chain`` leads from its pointers back to ``index`` xor ``distance``."""

    access: Instruction
    chain: list[Instruction]
    exchanged: Operand
    index: Operand
    distance: Operand
    values: LaneValues
    permutes: bool = False
    """Whether one instruction permutes its words by indices, which tests of the distance's bits cost more than."""
    made: list[Instruction] = field(default_factory=list)

    def write(self, block: Block, fresh: Callable[[str], str], mask_bits: int) -> None:
        """Replace the access in its block."""

        def value(stem: str, text: str, name: str = "") -> str:
            name = name or fresh(stem)
            self.made.append(Instruction(f"  {name} = {text}"))
            return name

        lanes, element = lanes_of(self.exchanged.type), element_of(self.exchanged.type)
        vector = self.exchanged.type
        scalar = scalar_of_splat(self.distance.value, self.values.definitions)
        any_distance = scalar.value if scalar else value("distance", f"extractelement {vector} {self.distance.value}, i64 0")
        # Where all lanes are off both may be poison.
        distance = value("distance", f"freeze {element} {any_distance}")
        any_first = value("first", f"extractelement {vector} {self.index.value}, i64 0")
        first = value("first", f"freeze {element} {any_first}")
        mixed = value("mixed", f"xor {element} {first}, {distance}")
        start = value("block", f"and {element} {mixed}, {-lanes}")
        one = value("one", f"insertelement {vector} poison, {element} {start}, i64 0")
        splat = value("blocks", f"shufflevector {vector} {one}, {vector} poison, <{lanes} x i32> zeroinitializer")
        steps = ", ".join(f"{element} {lane}" for lane in range(lanes))
        renamed = {self.exchanged.value: value("row", f"add nuw nsw {vector} {splat}, <{steps}>")}
        for made in reversed(self.chain):
            again = Instruction(made.text)
            again.rename(renamed)
            name = renamed[made.name] = fresh("row")
            again.text = again.text.replace(made.name, name, 1)
            self.made.append(again)
        bits: list[tuple[int, str]] = []
        for bit in (1 << place for place in range(lanes.bit_length() - 1)):
            low = value("low", f"and {element} {distance}, {bit}")
            bits.append((bit, value("crossed", f"icmp ne {element} {low}, 0")))
        takes: list[str] = []

        def taken() -> str:
            """The word of its register that each takes."""
            if not takes:
                inner = distance
                if element != "i32":
                    inner = value("inner", f"{'trunc' if integer_bits(element) > 32 else 'zext'} {element} {inner} to i32")
                one = value("one", f"insertelement {_REGISTER} poison, i32 {inner}, i64 0")
                splat = value("inner", f"shufflevector {_REGISTER} {one}, {_REGISTER} poison, {_REGISTER} zeroinitializer")
                numbers = ", ".join(f"i32 {lane}" for lane in range(_WORDS))
                takes.append(value("takes", f"xor {_REGISTER} {splat}, <{numbers}>"))
            return takes[0]

        def permuted(type_text: str, before: str) -> str:
            """Moved within registers."""
            words = f"<{lanes} x i32>"
            before = value("words", f"bitcast {type_text} {before} to {words}")
            parts: list[tuple[str, str]] = []
            for start in range(0, lanes, _WORDS):
                places = list(range(start, start + _WORDS))
                part = value("words", shuffle_text(words, before, "poison", places)) if lanes > _WORDS else before
                taking = f"{_REGISTER} {part}, {_REGISTER} {taken()}"
                parts.append((_REGISTER, value("crossing", f"call {_REGISTER} {_PERMUTE}({taking})")))
            while len(parts) > 1:
                kind, count = parts[0][0], 2 * lanes_of(parts[0][0])
                parts = [
                    (f"<{count} x i32>", value("words", shuffle_text(kind, one, other, list(range(count)))))
                    for (_, one), (_, other) in zip(parts[::2], parts[1::2], strict=True)
                ]
            return value("crossing", f"bitcast {words} {parts[0][1]} to {type_text}")

        def moved(type_text: str, before: str, last: str = "") -> str:
            within = self.permutes and element_of(type_text) in ("i32", "float")
            if within:
                before = permuted(type_text, before)
            for bit, crossed in bits:
                if within and bit < _WORDS:
                    continue
                places = [lane ^ bit for lane in range(lanes)]
                other = value("crossing", shuffle_text(type_text, before, "poison", places))
                before = value("crossing", f"select i1 {crossed}, {type_text} {other}, {type_text} {before}")
            if last:
                self.made[-1].text = self.made[-1].text.replace(before, last, 1)
            return before

        *stored, pointers, mask = self.access.operands
        new_mask = mask.value
        if mask.value[0] == "%":
            wide = f"<{lanes} x i{mask_bits}>"
            extended = value("lanes", f"sext {mask.type} {mask.value} to {wide}")
            new_mask = value("on", f"icmp slt {wide} {moved(wide, extended)}, zeroinitializer")
        elif mask.value != "splat (i1 true)":
            return
        arguments = [f"{pointers.type} {renamed[pointers.value]}", f"{mask.type} {new_mask}"]
        attached = self.access.parts.metadata.get("dbg")
        tail = f", !dbg {attached}" if attached else ""
        callee = self.access.parts.callee
        if stored:
            arguments.insert(0, f"{stored[0].type} {moved(stored[0].type, stored[0].value)}")
            self.made.append(Instruction(f"  call void {callee}({', '.join(arguments)}){tail}"))
        else:
            loaded = fresh("block")
            self.made.append(Instruction(f"  {loaded} = call {self.access.type} {callee}({', '.join(arguments)}){tail}"))
            moved(self.access.type, loaded, self.access.name)
        place = block.instructions.index(self.access)
        block.instructions[place : place + 1] = self.made
