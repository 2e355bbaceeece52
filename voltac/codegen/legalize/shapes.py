"""Types of LLVM assembly -> the legal values they are made of ("parts").

=====================  ==========================================================
type                   parts
=====================  ==========================================================
``i1 float ptr``       themselves; ``double`` where the machine has it
``i2`` ... ``i32``     a word, here ``i32``; the bits above the type's are anything
wider integers         a word for every 32 bits, the lowest first; likewise. A machine's word may be ``i64``
``half bfloat``        a word of whose bits the lower 16 count
``<16 x T>``           where a register has 16 lanes: vectors, one for each part of ``T``; pointers are ``i32``
``<8 x i8>``           where a register has 8 numbers of 8 bits (``packed.py``): such registers
``<n x T>``            as many vectors as fit, and scalars for the rest; on machines without vectors scalars alone
structs, arrays        the parts of their members, in order
=====================  ==========================================================

What holds a register's lanes or one scalar is a *chunk*; a value's parts are those of its
first chunk, then those of its second, and so on.
"""

from __future__ import annotations

from voltac.codegen.legalize.machine_facts import MachineFacts
from voltac.codegen.not_on_device import NotOnDevice
from voltac.ir.types import DataLayout, array_parts, integer_bits, vector_parts
from voltac.records import record, replace


class NotLegal(NotOnDevice):
    """A value or an operation that the machine has no way to do; ``str()`` is the reason."""


@record
class Shape:
    """A type without members."""

    element: str
    lanes: int
    """0 for a scalar."""
    bits: int
    """Of an element; 0 for ``float``, ``double`` and ``ptr``."""
    words: int
    """Parts of a chunk."""
    width: int = 0
    """Lanes of the vectors it is made of; 0: of scalars alone."""
    word: str = "i32"
    """The type of integers' parts."""
    size: int = 4
    """Bytes in memory, of what is no integer."""
    part: str = ""
    """The legal type of a vector chunk whose register holds the elements side by side."""

    @property
    def chunks(self) -> list[bool]:
        """Whether each chunk is a vector."""
        if not self.lanes:
            return [False]
        if not self.width:
            return [False] * self.lanes
        return [True] * (self.lanes // self.width) + [False] * (self.lanes % self.width)

    def kind(self, vector: bool) -> str:
        """Element type of a part."""
        if self.element in ("i1", "float", "double") or (self.element.startswith("ptr") and not vector):
            return self.element
        return self.word

    def part_types(self) -> list[str]:
        """The legal types of all parts, chunk by chunk."""
        return [
            (self.part or f"<{self.width} x {self.kind(True)}>") if chunk else self.kind(False)
            for chunk in self.chunks
            for _ in range(self.words)
        ]

    def place(self, lane: int) -> tuple[int, int]:
        """The chunk that holds a lane of a vector, and the lane in it; -1 where the chunk is a scalar."""
        width = self.width
        whole = self.lanes // width if width else 0
        return (lane // width, lane % width) if lane < whole * width else (whole + lane - whole * width, -1)


class Shapes:
    """Answers for one module on one machine."""

    def __init__(self, layout: DataLayout, facts: MachineFacts, is_packed: bool = True) -> None:
        """``is_packed``: whether registers hold several numbers where the machine has that, or one lane each."""
        self.layout = layout
        self.facts = facts
        self._packed = {one.element: one for one in facts.packed} if is_packed else {}
        self._shapes: dict[str, Shape] = {}
        self._parts: dict[str, list[str]] = {}

    def is_aggregate(self, type: str) -> bool:
        """Whether a type is a struct or an array, by itself or by its name."""
        body = self.layout.resolve(type)
        return body[0] in "{[" or body.startswith("<{")

    def members(self, type: str) -> list[tuple[str, int]]:
        """Types of an aggregate's members and their offsets in bytes."""
        body = self.layout.resolve(type)
        array = array_parts(body)
        if array:
            size = self.layout.size(array[1])
            return [(array[1], number * size) for number in range(array[0])]
        names, _ = self.layout.members(body)
        return [(name, self.layout.member_offset(body, number)) for number, name in enumerate(names)]

    def of(self, type: str) -> Shape:
        """The shape of a type without members; NotLegal for numbers that the machine has not."""
        found = self._shapes.get(type)
        if found is None:
            found = self._shapes[type] = self._shape(self.layout.resolve(type))
        return found

    def leaves(self, type: str) -> list[Shape]:
        """The shapes of all that has no members, in order."""
        if self.is_aggregate(type):
            return [shape for member, _ in self.members(type) for shape in self.leaves(member)]
        return [self.of(type)]

    def _shape(self, type: str) -> Shape:
        vector = vector_parts(type)
        lanes, element = vector or (0, type)
        if lanes and element in self._packed:
            packed = self._packed[element]
            return replace(self._unpacked(lanes, element), width=packed.lanes, part=packed.part)
        return self._unpacked(lanes, element)

    def _unpacked(self, lanes: int, element: str) -> Shape:
        width, word, word_bits = self.facts.lanes, self.facts.word, self.facts.word_bits
        if element == "float":
            return Shape(element, lanes, 0, 1, width, word)
        if element.startswith("ptr") or (element == "double" and self.facts.has_double):
            return Shape(element, lanes, 0, 1, width, word, 8 if element == "double" else self.facts.word_bytes)
        if element in ("half", "bfloat"):
            return Shape(element, lanes, 16, 1, width, word)
        bits = integer_bits(element)
        if not bits:
            no_double = f"{self.facts.title} has no double precision: use float"
            raise NotLegal(no_double if element == "double" else f"the type {element}")
        return Shape(element, lanes, bits, 1 if bits == 1 else -(-bits // word_bits), width, word)

    def parts(self, type: str) -> list[str]:
        """The types of the parts of any type."""
        found = self._parts.get(type)
        if found is None:
            if type == "void":
                found = []
            elif self.is_aggregate(type):
                found = [part for member, _ in self.members(type) for part in self.parts(member)]
            else:
                found = self.of(type).part_types()
            self._parts[type] = found
        return found

    def part_range(self, type: str, indices: list[int]) -> tuple[str, int, int]:
        """The member that ``extractvalue`` indices name: its type, its first part and the one behind its last."""
        start = 0
        for index in indices:
            members = self.members(type)
            start += sum(len(self.parts(member)) for member, _ in members[:index])
            type = members[index][0]
        return type, start, start + len(self.parts(type))
