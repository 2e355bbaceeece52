"""The declarations of a device's instructions: formats, operands and rows.

One instruction of a device is one :class:`Row`: its text, encoding, unit,
latency, pattern and meaning. Printer, assembler, encoder, disassembler,
selector, scheduler and simulator read the same row, so they cannot drift.

A format is written as in a manual, most significant bit first::

    Format("R", "00 op:6 rd:6 rs0:6 rs1:6 0 l fd f0 f1 m")

Digits are fixed bits, ``name:width`` is a field, a bare name a field of one bit,
``name[7:4]`` these bits of a field that stands in several places.
"""

from __future__ import annotations

import re
from functools import cached_property

from voltac.records import field, record


@record
class BitField:
    """``width`` bits of an instruction word from bit ``low`` on."""

    name: str
    low: int
    width: int
    pieces: tuple[tuple[int, int, int], ...] = ()
    """Of a field in several places: lowest bit in the word, width, and lowest bit in the value of each."""

    @property
    def mask(self) -> int:
        """The field's bits in a word."""
        return self.put(-1)

    def put(self, value: int) -> int:
        """A value, of which bits beyond the width are left out, as it stands in a word."""
        if not self.pieces:
            return (value & (1 << self.width) - 1) << self.low
        return sum((value >> start & (1 << width) - 1) << low for low, width, start in self.pieces)

    def take(self, word: int) -> int:
        """The value that stands in a word, without a sign."""
        if not self.pieces:
            return word >> self.low & (1 << self.width) - 1
        return sum((word >> low & (1 << width) - 1) << start for low, width, start in self.pieces)


class Format:
    """How the bits of an instruction word are divided."""

    def __init__(self, name: str, layout: str, bits: int = 32) -> None:
        self.name = name
        self.bits = bits
        self.fields: dict[str, BitField] = {}
        self.fixed = 0
        """The word with the fixed bits that are one."""
        self.fixed_mask = 0
        """Every fixed bit."""
        position = bits
        for part in layout.split():
            if part[0] in "01":
                position -= len(part)
                self.fixed |= int(part, 2) << position
                self.fixed_mask |= ((1 << len(part)) - 1) << position
            elif "[" in part:
                label, high, start = re.fullmatch(r"(\w+)\[(\d+):(\d+)\]", part).groups()  # type: ignore[union-attr]
                size = int(high) - int(start) + 1
                position -= size
                pieces = (*(self.fields[label].pieces if label in self.fields else ()), (position, size, int(start)))
                self.fields[label] = BitField(label, position, sum(piece[1] for piece in pieces), pieces)
            else:
                label, _, width = part.partition(":")
                position -= int(width or 1)
                self.fields[label] = BitField(label, position, int(width or 1))
        if position:
            raise ValueError(f"format {name} has {bits - position} bits instead of {bits}")


@record
class RowOperand:
    """A place of an instruction that a program fills in."""

    field: str
    """Name of the format's field, and of the value in the row's text and meaning."""
    kind: str
    """A register class of the device (``scalar``, ``vector``) or one of its kinds of immediates (``imm9``, ``label``)."""
    role: str = "use"
    """``def``, ``use``, or ``update``: read and written (the old value of a masked destination)."""


@record
class Row:
    """One instruction in one shape of operands."""

    name: str
    """Unique, shape included: ``add_i32.vvs``."""
    text: str
    """What the assembler reads and prints: ``add_i32 {rd}, {rs0}, {rs1}``."""
    format: Format
    fixed: dict[str, int]
    """Values of the fields that no operand fills; the others are zero, and the hardware does not look at them."""
    operands: tuple[RowOperand, ...]
    """In the order of the text."""
    unit: str
    """Where it executes: a name of the target's pipeline model."""
    latency: int
    """Cycles from its issue to the first issue of an instruction that reads its result."""
    meaning: str = ""
    """The result as an expression of the operands' names, read by the device's simulator; empty where ``traits`` tell."""
    traits: frozenset[str] = field(default_factory=frozenset)
    """What passes and the simulator have to know beyond the result: ``load``, ``store``, ``branch``, ``masked``, ...;
    ``alias``: another row has the same words, the disassembler prints that one."""

    @property
    def mnemonic(self) -> str:
        """The first word of its text."""
        return self.text.split()[0]

    @property
    def defined(self) -> tuple[RowOperand, ...]:
        """Operands that it writes, also those that it reads as well."""
        return tuple(operand for operand in self.operands if operand.role != "use")

    @property
    def used(self) -> tuple[RowOperand, ...]:
        """Operands that it reads, also those that it writes as well."""
        return tuple(operand for operand in self.operands if operand.role != "def")

    @cached_property
    def places_read(self) -> tuple[int, ...]:
        """Numbers of the operands that it reads."""
        return tuple(number for number, operand in enumerate(self.operands) if operand.role != "def")

    @cached_property
    def places_written(self) -> tuple[int, ...]:
        """Numbers of the operands that it writes."""
        return tuple(number for number, operand in enumerate(self.operands) if operand.role != "use")


class InstructionSet:
    """All rows of a device, by name."""

    def __init__(self, rows: tuple[Row, ...]) -> None:
        self.rows = {row.name: row for row in rows}
        if len(self.rows) != len(rows):
            raise ValueError("two rows have the same name")
        self.word_bits = rows[0].format.bits

    def __getitem__(self, name: str) -> Row:
        return self.rows[name]

    @cached_property
    def by_mnemonic(self) -> dict[str, list[Row]]:
        """The rows that the assembler tries for a mnemonic."""
        found: dict[str, list[Row]] = {}
        for row in self.rows.values():
            found.setdefault(row.mnemonic, []).append(row)
        return found
