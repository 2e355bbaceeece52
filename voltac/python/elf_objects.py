"""Object files of LLVM for x86-64 and aarch64 (ELF, 64 bits): their sections, symbols and relocations, for what links them."""

from __future__ import annotations

import mmap
import struct

from voltac.records import field, mutable_record


class NotSupported(Exception):
    """The object has something in it that is left to another linker."""


_HEADER = struct.Struct("<4s5B7xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QIIq")

# Numbers of the ELF format: kinds of files, machines, sections and their flags, places and bindings of symbols.
_RELOCATABLE, X86_64, AARCH64 = 1, 62, 183
_NAMES = {X86_64: "x86-64", AARCH64: "aarch64"}
_SYMBOL_TABLE, RELOCATIONS, NO_DATA, _X86_64_UNWIND = 2, 4, 8, 0x70000001
_INITIALISERS = (14, 15, 16)
WRITE, ALLOCATE, EXECUTE, _THREAD_LOCAL = 0x1, 0x2, 0x4, 0x400
UNDEFINED, ABSOLUTE, COMMON = 0, 0xFFF1, 0xFFF2
LOCAL, WEAK = 0, 2
_INDIRECT_FUNCTION = 10

# Relocations, as the ABI of x86-64 numbers them.
NONE, ABS64, PC32, PLT32, GOTPCREL, ABS32, ABS32S, PC64 = 0, 1, 2, 4, 9, 10, 11, 24
_GOTPCRELX, _REX_GOTPCRELX = 41, 42
VIA_TABLE = (GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX)

PAGE = mmap.PAGESIZE


@mutable_record
class ElfSection:
    """A part of the file, and where it goes."""

    kind: int
    flags: int
    offset: int
    size: int
    link: int
    target: int
    alignment: int
    address: int = 0
    """Offset in the region, later the address."""


@mutable_record
class ElfSymbol:
    """A name, or a section under no name of its own."""

    name: str
    binding: int
    kind: int
    section: int
    value: int
    size: int


@mutable_record
class ElfObject:
    """A file that is read."""

    code: bytes
    sections: list[ElfSection]
    symbols: list[ElfSymbol]
    addresses: list[int | None] = field(default_factory=list)
    """Of the symbols; None for undefined ones that are looked up elsewhere."""

    def loaded(self) -> list[ElfSection]:
        """What takes memory when the code is loaded."""
        return [section for section in self.sections if is_loaded(section)]


def is_loaded(section: ElfSection) -> bool:
    """Whether the section takes memory when the code is loaded."""
    # Nothing unwinds through kernels: the tables for it are left out.
    return bool(section.flags & ALLOCATE and section.kind != _X86_64_UNWIND)


def read_object(code: bytes, for_machine: int = X86_64) -> ElfObject:
    """What is in the file.

    :class:`NotSupported` for one of another machine or with something unknown in it; ValueError, IndexError or
    struct.error for one that is damaged.
    """
    if len(code) < _HEADER.size or code[:4] != b"\x7fELF" or code[4:6] != b"\x02\x01":
        raise NotSupported("not a little-endian ELF64 object")
    header = _HEADER.unpack_from(code)
    kind, machine, section_table, entry_size, section_count = header[6], header[7], header[11], header[16], header[17]
    if kind != _RELOCATABLE or machine != for_machine or entry_size != _SECTION.size or not section_count:
        raise NotSupported(f"not a relocatable object for {_NAMES[for_machine]}")
    if len(code) < section_table + section_count * _SECTION.size:
        raise ValueError("the object is cut off")
    sections = []
    for row in _SECTION.iter_unpack(code[section_table : section_table + section_count * _SECTION.size]):
        _, section_kind, flags, _, offset, size, link, info, alignment, _ = row
        sections.append(ElfSection(section_kind, flags, offset, size, link, info, max(1, alignment)))
    symbols: list[ElfSymbol] = []
    for section in sections:
        if section.kind in _INITIALISERS or section.flags & _THREAD_LOCAL:
            raise NotSupported("constructors or thread-local data")
        if section.alignment > PAGE:
            raise NotSupported("alignment beyond a page")
        if section.kind == _SYMBOL_TABLE:
            symbols = _symbols_of(code, section, sections[section.link])
    return ElfObject(code, sections, symbols)


def _symbols_of(code: bytes, table: ElfSection, strings: ElfSection) -> list[ElfSymbol]:
    names = code[strings.offset : strings.offset + strings.size]
    found = []
    for at, info, _, section, value, size in _SYMBOL.iter_unpack(code[table.offset : table.offset + table.size]):
        if info & 15 == _INDIRECT_FUNCTION:
            raise NotSupported("a function chosen when loading")
        # The name of the source is one of them, and may be any bytes.
        name = names[at : names.index(b"\0", at)].decode("utf-8", "surrogateescape")
        found.append(ElfSymbol(name, info >> 4, info & 15, section, value, size))
    return found
