"""Writes legal instructions, block by block, for the function that is being made anew."""

from __future__ import annotations

from voltac.ir.model import Block, Instruction
from voltac.targets.naplespu.legalize.shapes import LANES, vector_of

NOWHERE = "@npu.nowhere"
"""A line of zeros: where loads of lanes that are off go."""
DISCARD = "%discard"
"""What the name of the line begins with where their stores go."""
NOWHERE_LINE = f"{NOWHERE} = internal constant [64 x i8] zeroinitializer, align 64"
NO_LANES = ("zeroinitializer", "splat (i1 false)")
ALL_LANES = ("splat (i1 true)",)
LANE_NUMBERS = "<" + ", ".join(f"i32 {lane}" for lane in range(LANES)) + ">"


def signed(value: int) -> int:
    """The 32 bits of a number as LLVM writes them."""
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def constant(value: int, vector: bool) -> str:
    """A 32-bit number in every lane."""
    return f"splat (i32 {signed(value)})" if vector else str(signed(value))


def lanes(values: list[int]) -> str:
    """A constant vector."""
    return "<" + ", ".join(f"i32 {signed(value)}" for value in values) + ">"


def mask_constant(bits: list[bool]) -> str:
    return "<" + ", ".join(f"i1 {'true' if bit else 'false'}" for bit in bits) + ">"


class Writer:
    """Instructions as text; names are new."""

    def __init__(self, entry: str) -> None:
        self.blocks = [Block(entry)]
        self.allocated: list[str] = []
        """``alloca`` lines for the entry block."""
        self.declarations: set[str] = set()
        self.uses_nowhere = False
        self.routines: set[str] = set()
        """Names of the library's functions that are called."""
        self._number = 0
        self._line = ""
        self._discard = ""
        self.mask_of: dict[str, str] = {}
        """Numbers that are 1 in the lanes of a mask, and 0 in the others."""
        self._stages: list[str] = []

    # --- blocks ---

    @property
    def label(self) -> str:
        return self.blocks[-1].name

    def new_label(self, stem: str) -> str:
        self._number += 1
        return f"{stem}.{self._number}x"

    def start(self, label: str) -> None:
        self.blocks.append(Block(label))

    def emit(self, text: str) -> None:
        self.blocks[-1].instructions.append(Instruction(f"  {text}"))

    def jump(self, label: str) -> None:
        self.emit(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.emit(f"br i1 {condition}, label %{yes}, label %{no}")

    # --- values ---

    def name(self, stem: str = "") -> str:
        self._number += 1
        return f"%{stem or 't'}.{self._number}x"

    def value(self, text: str, stem: str = "") -> str:
        name = self.name(stem)
        self.emit(f"{name} = {text}")
        return name

    def op(self, operation: str, first: str, second: str | int, vector: bool = False) -> str:
        """An integer operation on 32 bits."""
        if isinstance(second, int):
            second = constant(second, vector)
        return self.value(f"{operation} {vector_of('i32', vector)} {first}, {second}")

    def float_op(self, operation: str, first: str, second: str, vector: bool) -> str:
        return self.value(f"{operation} {vector_of('float', vector)} {first}, {second}")

    def compare(self, predicate: str, first: str, second: str | int, vector: bool = False) -> str:
        if isinstance(second, int):
            second = constant(second, vector)
        return self.value(f"icmp {predicate} {vector_of('i32', vector)} {first}, {second}")

    def select(self, condition: str, first: str, second: str, kind: str, vector: bool) -> str:
        """Lane by lane for vectors."""
        type = vector_of(kind, vector)
        if type == "<16 x i1>":
            # As numbers, unlike lanes, a poisoned bit that is not taken would spread.
            first, second = self.frozen(first), self.frozen(second)
            if second in NO_LANES:
                return self.value(f"and {type} {condition}, {first}")
            if first in ALL_LANES:
                return self.value(f"or {type} {condition}, {second}")
            both = self.value(f"and {type} {condition}, {first}")
            other = self.value(f"and {type} {self.mask_not(condition)}, {second}")
            return self.value(f"or {type} {both}, {other}")
        return self.value(f"select {vector_of('i1', vector)} {condition}, {type} {first}, {type} {second}")

    def choose(self, condition: str, first: str, second: str, type: str) -> str:
        """One or the other by a scalar condition."""
        return self.value(f"select i1 {condition}, {type} {first}, {type} {second}")

    def bit_op(self, operation: str, first: str, second: str, vector: bool) -> str:
        """On conditions."""
        return self.value(f"{operation} {vector_of('i1', vector)} {first}, {second}")

    def mask_not(self, mask: str, vector: bool = True) -> str:
        return self.bit_op("xor", mask, "splat (i1 true)" if vector else "true", vector)

    def to_int(self, value: str, vector: bool) -> str:
        """0 or 1 from a condition."""
        made = self.value(f"zext {vector_of('i1', vector)} {value} to {vector_of('i32', vector)}")
        if vector:
            self.mask_of[made] = value
        return made

    def plus(self, first: str, second: str, vector: bool) -> str:
        """A sum; what is one in some lanes is added in these only."""
        for number, other in ((second, first), (first, second)):
            if number in self.mask_of:
                return self.select(self.mask_of[number], self.op("add", other, 1, True), other, "i32", True)
        return self.op("add", first, second, vector)

    def to_all_bits(self, value: str, vector: bool) -> str:
        """0 or -1 from a condition."""
        return self.value(f"sext {vector_of('i1', vector)} {value} to {vector_of('i32', vector)}")

    def bits_of(self, value: str, vector: bool) -> str:
        """The bits of a float."""
        return self.value(f"bitcast {vector_of('float', vector)} {value} to {vector_of('i32', vector)}")

    def float_of(self, value: str, vector: bool) -> str:
        return self.value(f"bitcast {vector_of('i32', vector)} {value} to {vector_of('float', vector)}")

    def converted(self, number: str, vector: bool) -> str:
        """A signed number as a float, by the core's conversion: for what a float holds exactly (``integers_to_floats.py``)."""
        return self.value(f"sitofp {vector_of('i32', vector)} {number} to {vector_of('float', vector)}")

    def splat(self, scalar: str, kind: str = "i32") -> str:
        if not scalar.startswith(("%", "@")):
            return f"splat ({kind} {scalar})"
        type = vector_of(kind, True)
        one = self.value(f"insertelement {type} poison, {kind} {scalar}, i32 0")
        return self.value(f"shufflevector {type} {one}, {type} poison, <{LANES} x i32> zeroinitializer")

    def lane(self, vector: str, lane: int | str, kind: str = "i32") -> str:
        return self.value(f"extractelement {vector_of(kind, True)} {vector}, i32 {lane}")

    def set_lane(self, vector: str, scalar: str, lane: int | str, kind: str = "i32") -> str:
        return self.value(f"insertelement {vector_of(kind, True)} {vector}, {kind} {scalar}, i32 {lane}")

    def bitmap(self, mask: str) -> str:
        """A mask of 16 lanes as the lower bits of a number."""
        short = self.value(f"bitcast <{LANES} x i1> {self.frozen(mask)} to i{LANES}")
        return self.value(f"zext i{LANES} {short} to i32")

    def frozen(self, mask: str) -> str:
        return self.value(f"freeze <{LANES} x i1> {mask}") if mask[0] == "%" else mask

    def mask(self, bits: str) -> str:
        """The inverse of :meth:`bitmap`; higher bits are ignored."""
        short = self.value(f"trunc i32 {bits} to i{LANES}")
        return self.value(f"bitcast i{LANES} {short} to <{LANES} x i1>")

    def call(self, declaration: str, *arguments: str) -> str:
        """A target function or intrinsic, given its ``declare`` line without the word."""
        self.declarations.add(declaration)
        result, _, rest = declaration.partition(" @")
        name, _, types = rest.partition("(")
        given = ", ".join(f"{type} {argument}" for type, argument in zip(split_types(types), arguments))
        text = f"call {result} @{name}({given})"
        if result == "void":
            self.emit(text)
            return ""
        return self.value(text)

    def high_product(self, first: str, second: str, signed: bool, vector: bool) -> str:
        type, letter = vector_of("i32", vector), "s" if signed else "u"
        return self.call(f"{type} @npu.mulh{letter}{'.v' if vector else ''}({type}, {type})", first, second)

    def shuffle(self, vector: str, indices: str) -> str:
        type = vector_of("i32", True)
        return self.call(f"{type} @npu.shuffle({type}, {type})", vector, indices)

    def count_zeros(self, value: str, trailing: bool, vector: bool) -> str:
        """32 for 0."""
        type = vector_of("i32", vector)
        name = f"llvm.ct{'t' if trailing else 'l'}z.{'v16i32' if vector else 'i32'}"
        return self.call(f"{type} @{name}({type}, i1)", value, "false")

    # --- memory ---

    def near(self, pointer: str, offset: int) -> str:
        return self.value(f"getelementptr i8, ptr {pointer}, i32 {offset}") if offset else pointer

    def number(self, pointer: str) -> str:
        return self.value(f"ptrtoint ptr {pointer} to i32")

    def pointer(self, number: str) -> str:
        return self.value(f"inttoptr i32 {number} to ptr")

    def nowhere(self) -> str:
        self.uses_nowhere = True
        return NOWHERE

    def discard(self) -> str:
        """A line of the stack that takes the stores of lanes that are off."""
        if not self._discard:
            self._discard = self.allocate(64, 64, DISCARD[1:])
        return self._discard

    def stage(self, number: int) -> str:
        """Lines of the stack on which vectors are put together."""
        while len(self._stages) <= number:
            self._stages.append(self.allocate(64, 64))
        return self._stages[number]

    def allocate(self, size: int, alignment: int, name: str = "place") -> str:
        name = self.name(name)
        self.allocated.append(f"{name} = alloca [{max(1, size)} x i8], align {alignment}")
        return name

    def gathered(self, scalars: list[str], kind: str = "i32") -> str:
        """A vector made of 16 scalars, through the stack."""
        if len(set(scalars)) == 1:
            return "poison" if scalars[0] == "poison" else self.splat(scalars[0], kind)
        if all(not scalar.startswith(("%", "@")) for scalar in scalars):
            return "<" + ", ".join(f"{kind} {scalar}" for scalar in scalars) + ">"
        given = [number for number, scalar in enumerate(scalars) if scalar != "poison"]
        if len(given) <= 2:
            result = "poison"
            for number in given:
                result = self.set_lane(result, scalars[number], number, kind)
            return result
        place = self.stage(0)
        for number in given:
            self.emit(f"store {kind} {scalars[number]}, ptr {self.near(place, 4 * number)}, align 4")
        return self.value(f"load {vector_of(kind, True)}, ptr {place}, align 64")


def split_types(text: str) -> list[str]:
    """The types of a parameter list that ends with ``)``."""
    found: list[str] = []
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += (character in "<[{(") - (character in ">]}")
        if (character == "," and not depth) or (character == ")" and position == len(text) - 1):
            found.append(text[start:position].strip())
            start = position + 1
    return [each for each in found if each]
