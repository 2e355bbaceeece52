"""64-bit arithmetic between numbers of 32 bits -> the same on even and on odd lanes.

    %x = zext <8 x i32> %a to <8 x i64>                 %pairs = bitcast <8 x i32> %a to <4 x i64>, %b likewise
    %y = zext <8 x i32> %b to <8 x i64>                 %x.even = and %pairs, splat (i64 4294967295)
    %p = mul <8 x i64> %x, %y                           %x.odd = lshr %pairs, splat (i64 32)
    %h = lshr <8 x i64> %p, splat (i64 32)        ->    %p.even = mul %x.even, %y.even        %p.odd = mul %x.odd, %y.odd
    %r = trunc <8 x i64> %h to <8 x i32>                %r = shufflevector (lshr %p.even, 32), %p.odd, <0, 9, 2, 11, ...>

Products of 32-bit numbers, of which a program takes the upper half or, of numbers with a fixed point, bits from the middle:
hashes, random numbers, filters. A register of 32-bit lanes has its even lanes where an instruction that multiplies
32 bits to 64 takes them from, and its odd ones a shift away; to spread lanes over two registers and to gather them
again takes twice as many. LLVM does it for the upper half alone, as long as nothing else is computed in 64 bits.
Two lanes are one number of 64 bits in between: what is poison in one of them is frozen.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.constants import integers, written
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import Uses, uses_of
from voltac.options import Options

_LEAVES = frozenset(("zext", "sext"))
_LANEWISE = frozenset(("mul", "add", "sub", "and", "or", "xor", "shl", "lshr", "ashr"))
_SHIFTS = frozenset(("shl", "lshr", "ashr"))
_MOST_VALUES = 200
"""That are looked at for one of these. Chosen, not measured."""
_SMALLEST = 128
"""Bits of the smallest register."""


_WORD = 32
"""Bits of a lane that is one of two."""
_LOW = (1 << _WORD) - 1


def compute_even_odd(module: Module, options: Options) -> None:
    """Rewrite the module."""
    bits = options.target.vector_bits
    for function in module.often_called:
        if not any(_is_product(each, bits) for each in function.instructions()):
            continue
        definitions, uses = function.definitions(), uses_of(function)
        members: dict[str, None] = {}
        for each in function.instructions():
            if _is_product(each, bits) and each.name not in members:
                members |= _component(each, definitions, uses)
        if members:
            _Halves(function, definitions, members).write()


def _is_product(made: Instruction, register_bits: int) -> bool:
    """Whether it multiplies lanes that fill a register as numbers of 32 bits, and more than one as what they are."""
    if made.op != "mul" or element_of(made.type) != "i64":
        return False
    lanes = lanes_of(made.type)
    return lanes * 32 >= _SMALLEST and lanes * 64 > register_bits and lanes % 2 == 0


def _component(first: Instruction, definitions: m.Definitions, uses: Uses) -> dict[str, None]:
    """All that is computed in 64 bits with a product, in an order that is the same in every process.

    Nothing unless numbers of 32 bits come in and go out.
    """
    found: dict[str, None] = {}
    work = [first.name]
    leaves = 0
    while work:
        name = work.pop()
        if name in found:
            continue
        made = definitions.get(name)
        if made is None or len(found) >= _MOST_VALUES or made.type != first.type:
            return {}
        found[name] = None
        if made.op in _LEAVES:
            if element_of(made.operands[0].type) != "i32":
                return {}
            leaves += 1
        elif made.op not in _LANEWISE or (made.op in _SHIFTS and _count_of(made) is None):
            return {}
        else:
            for each in made.operands:
                if _scalar_of(each, definitions) is None and not integers(each.type, each.value):
                    work.append(each.value)
        for user in uses.of(name):
            if user.op == "trunc" and element_of(user.type) == "i32":
                continue
            work.append(user.name)  # one without a result is no member
    return found if leaves else {}


def _scalar_of(operand: Operand, definitions: m.Definitions) -> Operand | None:
    """What all lanes are."""
    return m.scalar_of_splat(operand.value, definitions) if operand.value[0] == "%" else None


def _count_of(made: Instruction) -> int | None:
    """By how many bits all lanes are shifted."""
    counts = integers(made.operands[1].type, made.operands[1].value)
    return counts[0] if counts and len(set(counts)) == 1 and 0 <= counts[0] < 64 else None


class _Halves:
    """The even and the odd lanes of values of a function."""

    def __init__(self, function: Function, definitions: m.Definitions, members: dict[str, None]) -> None:
        self.function = function
        self.definitions = definitions
        self.members = members
        self.fresh = function.fresh_names()
        self.halves: dict[str, tuple[str, str]] = {}
        self.pairs: dict[str, str] = {}
        """Values of 32 bits -> the name of their pairs, in the block that is written."""
        self.lines: list[Instruction] = []

    def write(self) -> None:
        """Write halves behind each member, and what is cut out of them instead of what was."""
        for name in self.members:
            self.halves[name] = self.fresh("even"), self.fresh("odd")
        for block in self.function.blocks:
            self.lines = []
            self.pairs = {}
            for made in block.instructions:
                if made.op == "trunc" and made.operands[0].value in self.members:
                    self._cut(made)
                elif made.name not in self.members:
                    self.lines.append(made)
                elif made.op in _LEAVES:
                    self._leaf(made)
                else:
                    self._computed(made)
            block.instructions = self.lines

    def _line(self, text: str) -> None:
        self.lines.append(Instruction(f"  {text}"))

    def _leaf(self, made: Instruction) -> None:
        """Lanes of 32 bits, two of which are one of 64."""
        source, vector = made.operands[0], _half_of(made.type)
        even, odd = self.halves[made.name]
        if source.value not in self.pairs:
            frozen, self.pairs[source.value] = self.fresh("frozen"), self.fresh("pairs")
            self._line(f"{frozen} = freeze {source.type} {source.value}")
            self._line(f"{self.pairs[source.value]} = bitcast {source.type} {frozen} to {vector}")
        pairs = self.pairs[source.value]
        if made.op == "zext":
            self._line(f"{even} = and {vector} {pairs}, {written(vector, [_LOW])}")
            self._line(f"{odd} = lshr {vector} {pairs}, {written(vector, [_WORD])}")
        else:
            up = self.fresh("up")
            self._line(f"{up} = shl {vector} {pairs}, {written(vector, [_WORD])}")
            self._line(f"{even} = ashr {vector} {up}, {written(vector, [_WORD])}")
            self._line(f"{odd} = ashr {vector} {pairs}, {written(vector, [_WORD])}")

    def _computed(self, made: Instruction) -> None:
        vector = _half_of(made.type)
        operands = [self._halves_of(each) for each in made.operands]
        for name, first, second in zip(self.halves[made.name], *operands, strict=True):
            self._line(f"{name} = {made.op} {vector} {first}, {second}")

    def _halves_of(self, operand: Operand) -> tuple[str, str]:
        if operand.value in self.halves:
            return self.halves[operand.value]
        vector, lanes = _half_of(operand.type), lanes_of(operand.type)
        if numbers := integers(operand.type, operand.value):
            return written(vector, numbers[::2]), written(vector, numbers[1::2])
        half = self.fresh("half")
        places = f"<{lanes // 2} x i32> zeroinitializer"
        self._line(f"{half} = shufflevector {operand.type} {operand.value}, {operand.type} poison, {places}")
        return half, half

    def _cut(self, made: Instruction) -> None:
        """Bits of both halves side by side."""
        value, shifted = made.operands[0].value, 0
        source = self.definitions[value]
        if source.op in ("lshr", "ashr") and (count := _count_of(source)) and source.operands[0].value in self.halves:
            value, shifted = source.operands[0].value, count
        wide = made.operands[0].type
        vector, lanes = _half_of(wide), lanes_of(wide)
        even, odd = self.halves[value]
        by = min(shifted, _WORD)
        words = []
        for op, half, count in (("lshr", even, by), ("shl", odd, _WORD - by)):
            name, cast = self.fresh("moved"), self.fresh("words")
            self._line(f"{name} = {op} {vector} {half}, {written(vector, [count])}")
            self._line(f"{cast} = bitcast {vector} {name} to {made.type}")
            words.append(f"{made.type} {cast}")
        places = ", ".join(f"i32 {lane + lanes * (lane % 2)}" for lane in range(lanes))
        joined = self.fresh("joined") if shifted > _WORD else made.name
        self._line(f"{joined} = shufflevector {words[0]}, {words[1]}, <{lanes} x i32> <{places}>")
        if shifted > _WORD:
            self._line(f"{made.name} = {source.op} {made.type} {joined}, {written(made.type, [shifted - _WORD])}")


def _half_of(vector: str) -> str:
    """The type of half as many lanes."""
    return f"<{lanes_of(vector) // 2} x {element_of(vector)}>"
