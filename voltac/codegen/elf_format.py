"""Numbers and layouts of ELF files of 32 bits, little endian."""

from __future__ import annotations

import struct

HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
SECTION = struct.Struct("<IIIIIIIIII")
PROGRAM = struct.Struct("<IIIIIIII")
SYMBOL = struct.Struct("<IIIBBH")
RELOCATION = struct.Struct("<IIi")
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
