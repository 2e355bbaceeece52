"""What assembler, disassembler and linker have to know of a device: one record, made by the device's ``isa.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from voltac.codegen.machine_code import Register
from voltac.codegen.rows import InstructionSet
from voltac.records import record

if TYPE_CHECKING:
    from voltac.codegen.listing import Line
    from voltac.codegen.object_file import Relocation, Section


@record
class ImmediateKind:
    """What an operand that is no register may be."""

    bits: int
    signed: bool
    multiple: int = 1
    """Its values are multiples of this."""
    shift: int = 0
    """Low bits of the value that the field leaves out; ``bits`` counts them."""
    part: str = ""
    """The part of a label's address that may stand here, as in :class:`RelocationKind`; empty: numbers only."""
    pointer_part: str = ""
    """The same of its distance from the global pointer, ``@gprel(label)``."""
    base: int = 0
    """What the number is where the field has zeros."""
    is_complement: bool = False
    """Whether the number is ``base`` minus what the field has."""
    highest_stored: int = 0
    """The most that the field may have; 0: all its bits."""

    @property
    def lowest(self) -> int:
        """The least number that fits the field."""
        if self.is_complement:
            return self.base - (1 << self.bits) + 1
        return self.base - (1 << self.bits - 1 if self.signed else 0)

    @property
    def highest(self) -> int:
        """The greatest multiple that fits the field."""
        if self.is_complement:
            return self.base
        return self.base + (self.highest_stored or (1 << self.bits - self.signed) - self.multiple)

    def stored(self, value: int) -> int:
        """What the field has of a number."""
        return self.base - value if self.is_complement else value - self.base >> self.shift

    def number(self, stored: int) -> int:
        """The number of what a field has."""
        value = (stored << self.shift) & (1 << self.bits) - 1
        if self.signed and value >> self.bits - 1:
            value -= 1 << self.bits
        return self.base - value if self.is_complement else self.base + value


@record
class RelocationKind:
    """How the address of a symbol gets into the bits ``low`` to ``low + bits - 1`` of a word."""

    number: int
    name: str
    part: str
    """``absolute``, ``relative`` (to the word), ``high`` or ``low`` (halves of 16 bits)."""
    low: int
    bits: int
    shift: int = 0
    """Low bits of the value that are left out: they are zero."""
    from_pointer: bool = False
    """Whether it is the distance from the global pointer instead of the address."""


@record
class SectionPlace:
    """Where the linker puts sections of a name."""

    name: str
    kind: str
    """``text``, ``data`` (written at load time), ``constants``, ``zeros`` (takes no place in the file) or ``local``: a memory
    of its own, whose contents the start-up code copies there."""
    address: int | None
    """Where its bytes lie when the program begins. None: behind the section before."""
    limit: int
    """First address that the section must not reach."""
    base: int = 0
    """For ``local``: the address by which the program knows it."""
    is_short: bool = False
    """Whether the global pointer points to the middle of all such sections."""


@record(eq=False)
class DeviceCode:
    """The forms that a device's code has as text, as words and as files."""

    name: str
    instructions: InstructionSet
    registers: dict[str, Register]
    """Every name the assembler reads."""
    immediates: dict[str, ImmediateKind]
    relocations: tuple[RelocationKind, ...]
    elf_machine: int
    places: tuple[SectionPlace, ...]
    section_alignment: int
    """Bytes to which the linker aligns every section at least."""
    bundle_bit: int = 0
    """Set in both words of two instructions that issue together, which assembly text has in braces; 0: there are none."""
    bundle_bytes: int = 0
    """Of bundles that are encoded as a whole, whose slots relocations number; 0: an instruction is a word."""
    put_address: Callable[[Section, Relocation, int], None] | None = None
    """Puts the address that a relocation asks for into such a bundle, or into data."""
    bundle_lines: Callable[[bytes, int, Mapping[str, int]], Iterator[Line]] | None = None
    """Disassembles a section of such bundles, given its address and the labels in it."""
    elf_bits: int = 32
    """Of an address in its files."""
    elf_flags: int = 0
    """In their headers: what of the machine they are for."""
    global_pointer: str = ""
    """The symbol of the address from which code counts to data in short sections; empty: there is none."""
    short_flag: int = 0
    """Of short sections in files."""

    @property
    def word_bytes(self) -> int:
        """Of an instruction, or of a bundle that is encoded as a whole."""
        return self.bundle_bytes or self.instructions.word_bits // 8

    @property
    def word_digits(self) -> int:
        """Of an instruction, in hexadecimal."""
        return -(-self.instructions.word_bits // 4)

    def relocation(self, part: str) -> RelocationKind:
        """The kind for a part of an address."""
        return next(kind for kind in self.relocations if kind.part == part)

    def place(self, section: str) -> SectionPlace | None:
        """Where a section lies in the device's memory, ``.text.f`` where ``.text`` does; None for one that it does not know."""
        return next((place for place in self.places if section == place.name or section.startswith(place.name + ".")), None)
