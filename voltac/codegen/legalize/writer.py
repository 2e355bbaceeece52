"""Writes legal instructions, block by block, for the function that is being made anew."""

from __future__ import annotations

from voltac.codegen.legalize.machine_facts import MachineFacts
from voltac.ir.model import Block, Instruction

DISCARD = "%discard"
"""What the name of the memory begins with to which stores of lanes that are off go."""
NO_LANES = ("zeroinitializer", "splat (i1 false)")
ALL_LANES = ("splat (i1 true)",)


def nowhere(facts: MachineFacts) -> str:
    """The name of the constant where loads of lanes that are off go."""
    return f"@{facts.prefix}nowhere"


def signed(value: int, bits: int = 32) -> int:
    """So many bits of a number as LLVM writes them."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def constant(value: int, vector: bool, bits: int = 32) -> str:
    """A number of so many bits in every lane."""
    return f"splat (i{bits} {signed(value, bits)})" if vector else str(signed(value, bits))


def lanes(values: list[int]) -> str:
    """A constant vector."""
    return "<" + ", ".join(f"i32 {signed(value)}" for value in values) + ">"


def mask_constant(bits: list[bool]) -> str:
    """A constant mask, lane by lane."""
    return "<" + ", ".join(f"i1 {'true' if bit else 'false'}" for bit in bits) + ">"


class Writer:
    """Instructions as text; names are new."""

    def __init__(self, entry: str, facts: MachineFacts) -> None:
        self.facts = facts
        self.word, self.word_bits = facts.word, facts.word_bits
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
        self._mask_type = self.type("i1", True)

    def type(self, kind: str, vector: bool) -> str:
        """``i32``, or where 16 lanes make a vector ``<16 x i32>``."""
        return f"<{self.facts.lanes} x {kind}>" if vector else kind

    # --- blocks ---

    @property
    def label(self) -> str:
        """The name of the block that is being written."""
        return self.blocks[-1].name

    def new_label(self, stem: str) -> str:
        """A name for a block to be started."""
        self._number += 1
        return f"{stem}.{self._number}x"

    def start(self, label: str) -> None:
        """Begin a block; the one before is to end with a branch."""
        self.blocks.append(Block(label))

    def emit(self, text: str) -> None:
        """An instruction without a result, or with its name in the text."""
        self.blocks[-1].instructions.append(Instruction(f"  {text}"))

    def jump(self, label: str) -> None:
        """End the block."""
        self.emit(f"br label %{label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End the block by a scalar condition."""
        self.emit(f"br i1 {condition}, label %{yes}, label %{no}")

    # --- values ---

    def name(self, stem: str = "") -> str:
        """A name that no other value has."""
        self._number += 1
        return f"%{stem or 't'}.{self._number}x"

    def value(self, text: str, stem: str = "") -> str:
        """An instruction with a result, under a new name."""
        name = self.name(stem)
        self.emit(f"{name} = {text}")
        return name

    def constant(self, value: int, vector: bool) -> str:
        """A word in every lane."""
        return constant(value, vector, self.word_bits)

    def op(self, operation: str, first: str, second: str | int, vector: bool = False) -> str:
        """An integer operation on words."""
        if isinstance(second, int):
            second = self.constant(second, vector)
        return self.value(f"{operation} {self.type(self.word, vector)} {first}, {second}")

    def float_op(self, operation: str, first: str, second: str, vector: bool, element: str = "float") -> str:
        """An operation on floats, of 32 bits if nothing else is said."""
        return self.value(f"{operation} {self.type(element, vector)} {first}, {second}")

    def compare(self, predicate: str, first: str, second: str | int, vector: bool = False) -> str:
        """``icmp`` of words."""
        if isinstance(second, int):
            second = self.constant(second, vector)
        return self.value(f"icmp {predicate} {self.type(self.word, vector)} {first}, {second}")

    def select(self, condition: str, first: str, second: str, kind: str, vector: bool) -> str:
        """Lane by lane for vectors."""
        type = self.type(kind, vector)
        if type == self._mask_type:
            # As numbers, unlike lanes, a poisoned bit that is not taken would spread.
            first, second = self.frozen(first), self.frozen(second)
            if second in NO_LANES:
                return self.value(f"and {type} {condition}, {first}")
            if first in ALL_LANES:
                return self.value(f"or {type} {condition}, {second}")
            both = self.value(f"and {type} {condition}, {first}")
            other = self.value(f"and {type} {self.mask_not(condition)}, {second}")
            return self.value(f"or {type} {both}, {other}")
        return self.value(f"select {self.type('i1', vector)} {condition}, {type} {first}, {type} {second}")

    def choose(self, condition: str, first: str, second: str, type: str) -> str:
        """One or the other by a scalar condition."""
        return self.value(f"select i1 {condition}, {type} {first}, {type} {second}")

    def bit_op(self, operation: str, first: str, second: str, vector: bool) -> str:
        """On conditions."""
        return self.value(f"{operation} {self.type('i1', vector)} {first}, {second}")

    def mask_not(self, mask: str, vector: bool = True) -> str:
        """The opposite of a mask or condition."""
        return self.bit_op("xor", mask, "splat (i1 true)" if vector else "true", vector)

    def to_int(self, value: str, vector: bool) -> str:
        """0 or 1 from a condition."""
        made = self.value(f"zext {self.type('i1', vector)} {value} to {self.type(self.word, vector)}")
        if vector:
            self.mask_of[made] = value
        return made

    def plus(self, first: str, second: str, vector: bool) -> str:
        """A sum; what is one in some lanes is added in these only."""
        for number, other in ((second, first), (first, second)):
            if number in self.mask_of:
                return self.select(self.mask_of[number], self.op("add", other, 1, True), other, self.word, True)
        return self.op("add", first, second, vector)

    def to_all_bits(self, value: str, vector: bool) -> str:
        """0 or -1 from a condition."""
        return self.value(f"sext {self.type('i1', vector)} {value} to {self.type(self.word, vector)}")

    def bits_of(self, value: str, vector: bool) -> str:
        """The bits of a float."""
        bits = self.value(f"bitcast {self.type('float', vector)} {value} to {self.type('i32', vector)}")
        return bits if self.word_bits == 32 else self.value(f"zext i32 {bits} to {self.word}")

    def float_of(self, value: str, vector: bool) -> str:
        """The float with these bits."""
        if self.word_bits != 32:
            value = self.value(f"trunc {self.word} {value} to i32")
        return self.value(f"bitcast {self.type('i32', vector)} {value} to {self.type('float', vector)}")

    def converted(self, number: str, vector: bool) -> str:
        """A signed number as a float, by the machine's conversion, which may be right only for what a float holds exactly."""
        return self.value(f"sitofp {self.type(self.word, vector)} {number} to {self.type('float', vector)}")

    def splat(self, scalar: str, kind: str = "i32") -> str:
        """A vector with a scalar in every lane."""
        if not scalar.startswith(("%", "@")):
            return f"splat ({kind} {scalar})"
        type = self.type(kind, True)
        one = self.value(f"insertelement {type} poison, {kind} {scalar}, i32 0")
        return self.value(f"shufflevector {type} {one}, {type} poison, <{self.facts.lanes} x i32> zeroinitializer")

    def lane(self, vector: str, lane: int | str, kind: str = "i32") -> str:
        """A scalar from a vector; the lane may be a value."""
        return self.value(f"extractelement {self.type(kind, True)} {vector}, i32 {lane}")

    def set_lane(self, vector: str, scalar: str, lane: int | str, kind: str = "i32") -> str:
        """A vector with one lane replaced; the lane may be a value."""
        return self.value(f"insertelement {self.type(kind, True)} {vector}, {kind} {scalar}, i32 {lane}")

    def bitmap(self, mask: str) -> str:
        """A mask as the lower bits of a number."""
        lanes = self.facts.lanes
        short = self.value(f"bitcast {self._mask_type} {self.frozen(mask)} to i{lanes}")
        return self.value(f"zext i{lanes} {short} to {self.word}")

    def frozen(self, mask: str) -> str:
        """A mask none of whose lanes is poison."""
        return self.value(f"freeze {self._mask_type} {mask}") if mask[0] == "%" else mask

    def mask(self, bits: str) -> str:
        """The inverse of :meth:`bitmap`; higher bits are ignored."""
        lanes = self.facts.lanes
        short = self.value(f"trunc {self.word} {bits} to i{lanes}")
        return self.value(f"bitcast i{lanes} {short} to {self._mask_type}")

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
        """The upper word of a product."""
        if not self.facts.has_high_product:
            return self._high_product_by_halves(first, second, signed, vector)
        type, letter = self.type(self.word, vector), "s" if signed else "u"
        return self.call(f"{type} @{self.facts.prefix}mulh{letter}{'.v' if vector else ''}({type}, {type})", first, second)

    def _high_product_by_halves(self, first: str, second: str, signed: bool, vector: bool) -> str:
        low_a, low_b = (self.op("and", word, 0xFFFF, vector) for word in (first, second))
        high_a, high_b = (self.op("lshr", word, 16, vector) for word in (first, second))
        low = self.op("lshr", self.op("mul", low_a, low_b, vector), 16, vector)
        middle = self.op("add", self.op("mul", high_a, low_b, vector), low, vector)
        other = self.op("add", self.op("mul", low_a, high_b, vector), self.op("and", middle, 0xFFFF, vector), vector)
        high = self.op("add", self.op("mul", high_a, high_b, vector), self.op("lshr", middle, 16, vector), vector)
        high = self.op("add", high, self.op("lshr", other, 16, vector), vector)
        if signed:
            for number, times in ((first, second), (second, first)):
                taken = self.op("and", self.op("ashr", number, 31, vector), times, vector)
                high = self.op("sub", high, taken, vector)
        return high

    def count_ones(self, word: str, vector: bool) -> str:
        """The bits of a word that are set, by sums of neighbouring fields."""
        pairs = self.op("sub", word, self.op("and", self.op("lshr", word, 1, vector), 0x55555555, vector), vector)
        low = self.op("and", pairs, 0x33333333, vector)
        fours = self.op("add", low, self.op("and", self.op("lshr", pairs, 2, vector), 0x33333333, vector), vector)
        bytes_ = self.op("and", self.op("add", fours, self.op("lshr", fours, 4, vector), vector), 0x0F0F0F0F, vector)
        return self.op("lshr", self.op("mul", bytes_, 0x01010101, vector), 24, vector)

    def count_zeros(self, value: str, trailing: bool, vector: bool) -> str:
        """As many as a word has for 0."""
        if not self.facts.has_zero_count:
            return self._count_zeros_by_ones(value, trailing, vector)
        type = self.type(self.word, vector)
        name = f"llvm.ct{'t' if trailing else 'l'}z.{f'v{self.facts.lanes}' if vector else ''}{self.word}"
        return self.call(f"{type} @{name}({type}, i1)", value, "false")

    def _count_zeros_by_ones(self, value: str, trailing: bool, vector: bool) -> str:
        if trailing:
            lowest = self.op("and", value, self.op("sub", self.constant(0, vector), value, vector), vector)
            return self.count_ones(self.op("sub", lowest, 1, vector), vector)
        for places in (1, 2, 4, 8, 16):
            value = self.op("or", value, self.op("lshr", value, places, vector), vector)
        return self.count_ones(self.op("xor", value, -1, vector), vector)

    # --- memory ---

    def near(self, pointer: str, offset: int) -> str:
        """A pointer so many bytes on."""
        return self.value(f"getelementptr i8, ptr {pointer}, {self.word} {offset}") if offset else pointer

    def number(self, pointer: str) -> str:
        """The address as a number."""
        return self.value(f"ptrtoint ptr {pointer} to {self.word}")

    def pointer(self, number: str) -> str:
        """The pointer to an address given as a number."""
        return self.value(f"inttoptr {self.word} {number} to ptr")

    def nowhere(self) -> str:
        """Zeros, as many as a vector has bytes: where loads of lanes that are off go."""
        self.uses_nowhere = True
        return nowhere(self.facts)

    def discard(self) -> str:
        """Memory of the stack, a vector's bytes, that takes the stores of lanes that are off."""
        if not self._discard:
            self._discard = self._room(DISCARD[1:])
        return self._discard

    def stage(self, number: int) -> str:
        """Places of the stack on which vectors are put together."""
        while len(self._stages) <= number:
            self._stages.append(self._room())
        return self._stages[number]

    def allocate(self, size: int, alignment: int, name: str = "place") -> str:
        """Memory of the stack, made in the entry block."""
        name = self.name(name)
        self.allocated.append(f"{name} = alloca [{max(1, size)} x i8], align {alignment}")
        return name

    def _room(self, name: str = "place") -> str:
        size = self.facts.vector_bytes
        return self.allocate(size, size, name)

    def gathered(self, scalars: list[str], kind: str = "i32") -> str:
        """A vector made of scalars, through the stack."""
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
        return self.value(f"load {self.type(kind, True)}, ptr {place}, align {self.facts.vector_bytes}")


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
