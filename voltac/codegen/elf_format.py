"""Numbers and layouts of ELF files of 32 and of 64 bits, little endian."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from voltac.records import record


@record(eq=False)
class ElfClass:
    """The layouts of the tables' rows. Rows of segments and symbols have the order of 32 bits, whatever that of the file is."""

    bits: int
    number: int
    """In the file's identification."""
    header: struct.Struct
    section: struct.Struct
    _program: struct.Struct
    _symbol: struct.Struct
    relocation: struct.Struct
    symbol_shift: int
    """Of a symbol's number in a relocation, whose type is in the bits below."""
    _program_order: tuple[int, ...] = ()
    _symbol_order: tuple[int, ...] = ()
    """For each value of the file's row, where 32 bits have it; empty: in the same place."""

    @property
    def program_size(self) -> int:
        """Bytes of a segment's row."""
        return self._program.size

    @property
    def symbol_size(self) -> int:
        """Bytes of a symbol's row."""
        return self._symbol.size

    def program(self, *values: int) -> bytes:
        """A segment's row: type, offset, address, where it is loaded, bytes in the file, bytes in memory, flags, alignment."""
        return self._program.pack(*_ordered(values, self._program_order))

    def read_program(self, content: bytes, offset: int) -> tuple[int, ...]:
        """The same values."""
        return _original(self._program.unpack_from(content, offset), self._program_order)

    def symbol(self, *values: int) -> bytes:
        """A symbol's row: name, value, size, information, other, section."""
        return self._symbol.pack(*_ordered(values, self._symbol_order))

    def read_symbol(self, content: bytes, offset: int) -> tuple[int, ...]:
        """The same values."""
        return _original(self._symbol.unpack_from(content, offset), self._symbol_order)


def _ordered(values: Sequence[int], order: tuple[int, ...]) -> Sequence[int]:
    return [values[place] for place in order] if order else values


def _original(values: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(values[order.index(place)] for place in range(len(values))) if order else values


CLASSES = {
    32: ElfClass(
        32, 1, struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<IIIIIIIIII"), struct.Struct("<IIIIIIII"),
        struct.Struct("<IIIBBH"), struct.Struct("<IIi"), 8,
    ),
    64: ElfClass(
        64, 2, struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IIQQQQQQ"),
        struct.Struct("<IBBHQQ"), struct.Struct("<QQq"), 32, (0, 6, 1, 2, 3, 4, 5, 7), (0, 3, 4, 5, 1, 2),
    ),
}  # fmt: skip
"""By the bits of an address."""

NOTE_HEADER = struct.Struct("<III")

PROGBITS, SYMTAB, STRTAB, RELA, NOTE, ZEROS = 1, 2, 3, 4, 7, 8
"""Types of sections."""
WRITABLE, ALLOCATED, EXECUTABLE = 1, 2, 4
LOCAL_SPACE = 0x1000_0000
"""The first flag that is a machine's own: the section's addresses are those of another space, where start-up code copies it."""
ABSOLUTE = 0xFFF1
GLOBAL, OBJECT = 1, 1
PROGRAM_LOAD = 1
PROGRAM_EXECUTE, PROGRAM_WRITE, PROGRAM_READ = 1, 2, 4
"""The format's numbers: of a symbol without a section, of symbols' binding and type, of segments and their flags."""

NOTE_OWNER = b"voltac\0\0"
CHECKSUM = 1
"""Type of the note, of this owner's own numbering."""
NOTES = {"checksum": CHECKSUM, "kernels": 2}
"""Kinds of notes: crc32 of the file with zeros in this place; the kernels' signatures as JSON."""
