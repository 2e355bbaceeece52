"""Objects for x86-64 → a shared library of Linux (ELF), without a linker of the system.

llvmlite brings no linker (lld), and many machines with Python have no C compiler. What LLVM emits of kernels needs
little of one: no constructors, no variables of threads, no versions of symbols. Whatever else an object has is
:class:`NotSupported`.

The file is laid out as it lies in memory, page by page: tables for the dynamic linker, code, constants, addresses that
are read-only once they are bound, and data. Among themselves the objects are bound here, so that no other library
can come between their functions.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence, Set

from voltac.python.elf_objects import (
    ABS64,
    ABSOLUTE,
    COMMON,
    EXECUTE,
    LOCAL,
    NO_DATA,
    NONE,
    PC32,
    PC64,
    PLT32,
    RELOCATION,
    RELOCATIONS,
    UNDEFINED,
    VIA_TABLE,
    WEAK,
    WRITE,
    ElfObject,
    ElfSymbol,
    NotSupported,
    is_loaded,
    read_object,
)
from voltac.records import field, mutable_record

_PAGE = 4096
"""The smallest of the architecture; files laid out for it load wherever pages are as large."""
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")

# Numbers of the ELF format.
_SHARED, _X86_64 = 3, 62
_READ = 4
_RUN, _STORE = 1, 2
_SEGMENT_LOAD, _SEGMENT_DYNAMIC, _SEGMENT_STACK, _SEGMENT_RELRO = 1, 2, 0x6474E551, 0x6474E552
_PROGBITS, _STRINGS, _RELA, _HASH, _DYNAMIC, _NOBITS, _DYNAMIC_SYMBOLS = 1, 3, 4, 5, 6, 8, 11
_ALLOCATED, _WRITABLE, _EXECUTABLE = 2, 1, 4
_NEEDED, _SONAME, _BIND_NOW, _NOW = 1, 14, 8, 1
_IS_64, _IS_GLOBAL_DATA, _IS_RELATIVE = 1, 6, 8
"""Relocations that are left to the dynamic linker."""

_GLOBAL, _VARIABLE = 1, 1
_STUB = b"\xff\x25"
"""``jmp *entry(%rip)``; six bytes, filled up to eight."""

Place = tuple[int, int]
"""Number of an object, and of a symbol in it."""


@mutable_record
class _Part:
    """A section of the library."""

    name: str
    kind: int
    flags: int
    size: int = 0
    address: int = 0
    content: bytearray = field(default_factory=bytearray)
    link: str = ""
    entry: int = 0
    alignment: int = 8


def undefined_symbols(objects: Sequence[bytes]) -> set[str]:
    """What none of the objects defines."""
    read = [read_object(code) for code in objects]
    defined = {symbol.name for item in read for symbol in item.symbols if symbol.section != UNDEFINED}
    named = {symbol.name for item in read for symbol in item.symbols if symbol.section == UNDEFINED and symbol.name}
    return named - defined


def shared_object(objects: Sequence[bytes], exports: Set[str], name: str, libraries: Sequence[str] = ()) -> bytes:
    """The content of the library ``name``, which shows the symbols ``exports`` and loads ``libraries`` first.

    Raises :class:`NotSupported` for an object that takes another linker, and ValueError for a symbol that is
    defined twice, or is to be shown and not defined.
    """
    return _Library([read_object(code) for code in objects], exports).linked(name, libraries)


class _Library:
    def __init__(self, objects: list[ElfObject], exports: Set[str]) -> None:
        self.objects = objects
        self.definitions = dict(_definitions(objects))
        missing = sorted(exports - self.definitions.keys())
        if missing:
            raise ValueError(f"nothing defines '{missing[0]}'")
        self.exports = sorted(exports)
        self.parts = {
            part.name: part
            for part in (
                _Part(".hash", _HASH, _ALLOCATED, link=".dynsym", entry=4),
                _Part(".dynsym", _DYNAMIC_SYMBOLS, _ALLOCATED, link=".dynstr", entry=_SYMBOL.size),
                _Part(".dynstr", _STRINGS, _ALLOCATED, alignment=1),
                _Part(".rela.dyn", _RELA, _ALLOCATED, link=".dynsym", entry=RELOCATION.size),
                _Part(".text", _PROGBITS, _ALLOCATED | _EXECUTABLE, alignment=64),
                _Part(".rodata", _PROGBITS, _ALLOCATED, alignment=64),
                _Part(".dynamic", _DYNAMIC, _ALLOCATED | _WRITABLE, link=".dynstr", entry=16),
                _Part(".got", _PROGBITS, _ALLOCATED | _WRITABLE, entry=8),
                _Part(".data", _PROGBITS, _ALLOCATED | _WRITABLE, alignment=64),
                _Part(".bss", _NOBITS, _ALLOCATED | _WRITABLE, alignment=64),
                _Part(".shstrtab", _STRINGS, 0, alignment=1),
            )
        }
        self.names = list(self.parts)
        self.homes: dict[tuple[int, int], tuple[_Part, int]] = {}
        """Object and section, or object and symbol of a variable without one as -1 - number: part of the library and offset."""
        self.entries: dict[Place, int] = {}
        """Symbols whose addresses are in the table: offset there."""
        self.stubs: dict[Place, int] = {}
        """Functions of other libraries: offset of the jump in the code."""
        self.strings: dict[str, int] = {}

    def linked(self, name: str, libraries: Sequence[str]) -> bytes:
        self._string("")
        self._place_sections()
        bound = self._collect()
        parts = self.parts
        imports = sorted({self._name(place) for place in (*self.entries, *bound) if self._is_import(place)})
        symbols = ["", *imports, *self.exports]
        tags = [(_NEEDED, self._string(library)) for library in libraries] + [(_SONAME, self._string(name)), *_FIXED_TAGS]
        for symbol in symbols:
            self._string(symbol)
        parts[".hash"].size = 4 * (2 + 1 + len(symbols))
        parts[".dynsym"].size = _SYMBOL.size * len(symbols)
        parts[".dynstr"].size = len(parts[".dynstr"].content)
        parts[".rela.dyn"].size = RELOCATION.size * (len(self.entries) + len(bound))
        parts[".got"].size = 8 * len(self.entries)
        parts[".dynamic"].size = 16 * (len(tags) + len(_ADDRESS_TAGS) + 1)
        self._place_parts()
        self._write_tables(symbols, tags, bound)
        self._relocate()
        return self._file()

    # --- what there is ---

    def _place_sections(self) -> None:
        for number, item in enumerate(self.objects):
            for index, section in enumerate(item.sections):
                if is_loaded(section):
                    is_zero = section.kind == NO_DATA
                    part, at = self._added(section.flags, is_zero, section.size, section.alignment)
                    self.homes[number, index] = part, at
                    if not is_zero:
                        part.content[at:] = item.code[section.offset : section.offset + section.size]
            for index, symbol in enumerate(item.symbols):
                # Variables without a section, which the linker has to place: the value is the alignment.
                if symbol.section == COMMON:
                    self.homes[number, -1 - index] = self._added(WRITE, True, symbol.size, symbol.value)

    def _added(self, flags: int, no_data: bool, size: int, alignment: int) -> tuple[_Part, int]:
        """A place for so many bytes."""
        if flags & EXECUTE and flags & WRITE:
            raise NotSupported("a section both writable and executable")
        kind = ".text" if flags & EXECUTE else ".rodata" if not flags & WRITE else ".bss" if no_data else ".data"
        part = self.parts[kind]
        part.alignment = max(part.alignment, alignment)
        at = -(-part.size // alignment) * alignment
        part.size = at + size
        if part.kind != _NOBITS:
            filler = b"\xcc" if flags & EXECUTE else b"\0"
            part.content += filler * (at - len(part.content)) + b"\0" * size
        return part, at

    def _relocations(self) -> Iterator[tuple[_Part, int, int, Place, int]]:
        """Part and offset of what is to be filled in, kind, symbol and addend."""
        for number, item in enumerate(self.objects):
            for table in item.sections:
                if table.kind == RELOCATIONS and (number, table.target) in self.homes:
                    part, start = self.homes[number, table.target]
                    for at, kind, symbol, addend in RELOCATION.iter_unpack(item.code[table.offset : table.offset + table.size]):
                        yield part, start + at, kind, self._defining((number, symbol)), addend

    def _defining(self, place: Place) -> Place:
        """The symbol that a symbol means."""
        symbol = self._symbol(place)
        return place if symbol.binding == LOCAL else self.definitions.get(symbol.name, place)

    def _collect(self) -> list[Place]:
        """Find room for addresses and jumps; returns the symbols of addresses in data, one for each."""
        found: list[Place] = []
        by_name: dict[str, Place] = {}
        for part, _, kind, place, _ in self._relocations():
            if self._is_import(place):
                # One entry for a name, whichever object asks.
                place = by_name.setdefault(self._name(place), place)
            if kind in VIA_TABLE or (kind == PLT32 and self._is_import(place)):
                self.entries.setdefault(place, 8 * len(self.entries))
            if kind == PLT32 and self._is_import(place) and place not in self.stubs:
                self.stubs[place] = self._added(EXECUTE, False, 8, 8)[1]
            elif kind == ABS64:
                if part.name != ".data":
                    raise NotSupported("an address in code or constants (compile with --pic)")
                found.append(place)
        self._first = by_name
        return found

    def _symbol(self, place: Place) -> ElfSymbol:
        return self.objects[place[0]].symbols[place[1]]

    def _name(self, place: Place) -> str:
        return self._symbol(place).name

    def _is_import(self, place: Place) -> bool:
        return self._symbol(place).section == UNDEFINED

    def _is_looked_up(self, place: Place) -> bool:
        """Whether the dynamic linker says where it is: a program may have its own copy of a variable that it uses."""
        symbol = self._symbol(place)
        is_shown = symbol.binding != LOCAL and symbol.name in self.exports
        return symbol.section == UNDEFINED or (symbol.kind == _VARIABLE and is_shown)

    # --- where it goes ---

    def _place_parts(self) -> None:
        # The header, and as many segments as there are.
        at = _HEADER.size + _SEGMENT.size * _SEGMENT_COUNT
        for part in self.parts.values():
            alignment = _PAGE if part.name in _SEGMENT_STARTS else part.alignment
            part.address = at = -(-at // alignment) * alignment
            at += part.size

    def _address(self, place: Place) -> int:
        symbol = self._symbol(place)
        if symbol.section == ABSOLUTE:
            raise NotSupported("an absolute address")
        key = (place[0], -1 - place[1]) if symbol.section == COMMON else (place[0], symbol.section)
        if key not in self.homes:
            raise NotSupported(f"the address of '{symbol.name}', which is not loaded")
        part, start = self.homes[key]
        return part.address + start + (0 if symbol.section == COMMON else symbol.value)

    # --- what is in it ---

    def _string(self, text: str) -> int:
        content = self.parts[".dynstr"].content
        if text not in self.strings:
            self.strings[text] = len(content)
            content += text.encode("utf-8", "surrogateescape") + b"\0"
        return self.strings[text]

    def _write_tables(self, symbols: list[str], tags: list[tuple[int, int]], bound: list[Place]) -> None:
        parts = self.parts
        numbers = {symbol: number for number, symbol in enumerate(symbols)}
        weak = {self._name(place) for place in self._first.values() if self._symbol(place).binding == WEAK}
        for symbol in symbols:
            place = self.definitions.get(symbol)
            if place is None or not symbol:
                info = 0 if not symbol else (WEAK if symbol in weak else _GLOBAL) << 4
                described = (self.strings[symbol], info, 0, 0, 0, 0)
            else:
                found = self._symbol(place)
                home = self.homes[place[0], -1 - place[1] if found.section == COMMON else found.section][0]
                info = _GLOBAL << 4 | found.kind
                number = 1 + self.names.index(home.name)
                described = (self.strings[symbol], info, 0, number, self._address(place), found.size)
            parts[".dynsym"].content += _SYMBOL.pack(*described)
        # One chain of all symbols: there are few.
        chain = [*range(2, len(symbols)), 0] if len(symbols) > 1 else []
        first = 1 if len(symbols) > 1 else 0
        parts[".hash"].content += struct.pack(f"<{3 + len(symbols)}I", 1, len(symbols), first, 0, *chain)
        rows = []
        for place, at in self.entries.items():
            rows.append((parts[".got"].address + at, place, 0, _IS_GLOBAL_DATA))
            parts[".got"].content += b"\0" * 8
        data = ((part.address + at, place, addend) for part, at, kind, place, addend in self._relocations() if kind == ABS64)
        rows += [(at, place, addend, _IS_64) for at, place, addend in data]
        assert len(rows) == len(self.entries) + len(bound)
        for at, place, addend, kind in rows:
            if self._is_looked_up(place):
                row = (at, kind, numbers[self._name(place)], addend)
            else:
                row = (at, _IS_RELATIVE, 0, self._address(place) + addend)
            parts[".rela.dyn"].content += RELOCATION.pack(*row)
        values = {tag: parts[name].address if field == "address" else parts[name].size for tag, name, field in _ADDRESS_TAGS}
        for tag, value in (*tags, *values.items(), (0, 0)):
            parts[".dynamic"].content += struct.pack("<QQ", tag, value)

    def _relocate(self) -> None:
        got, text = self.parts[".got"].address, self.parts[".text"]
        for place, at in self.stubs.items():
            text.content[at : at + 6] = _STUB + struct.pack("<i", got + self.entries[place] - (text.address + at + 6))
        for part, at, kind, place, addend in self._relocations():
            if self._is_import(place):
                place = self._first[self._name(place)]
            here = part.address + at
            if kind in VIA_TABLE:
                struct.pack_into("<i", part.content, at, got + self.entries[place] + addend - here)
            elif kind == PLT32 and place in self.stubs:
                struct.pack_into("<i", part.content, at, text.address + self.stubs[place] + addend - here)
            elif kind in (PC32, PLT32, PC64):
                if self._is_looked_up(place):
                    raise NotSupported(f"the distance to '{self._name(place)}', which may be in another library")
                struct.pack_into("<q" if kind == PC64 else "<i", part.content, at, self._address(place) + addend - here)
            elif kind not in (ABS64, NONE):
                raise NotSupported(f"a relocation of type {kind} (compile with --pic)")

    # --- the file ---

    def _file(self) -> bytes:
        parts = self.parts
        title = parts[".shstrtab"]
        places = {}
        for name in ("", *parts):
            places[name] = len(title.content)
            title.content += name.encode() + b"\0"
        title.size = len(title.content)
        title.address = parts[".bss"].address
        headers = -(-(title.address + title.size) // 8) * 8
        rows = [(0,) * 10]
        for part in parts.values():
            address = 0 if part is title else part.address
            link = 1 + self.names.index(part.link) if part.link else 0
            info = 1 if part.kind == _DYNAMIC_SYMBOLS else 0
            where = (address, part.address, part.size)
            rows.append((places[part.name], part.kind, part.flags, *where, link, info, part.alignment, part.entry))
        header = _HEADER.pack(
            b"\x7fELF\x02\x01\x01", _SHARED, _X86_64, 1, 0, _HEADER.size, headers, 0,
            _HEADER.size, _SEGMENT.size, _SEGMENT_COUNT, _SECTION.size, len(rows), len(rows) - 1,
        )  # fmt: skip
        content = bytearray(header + b"".join(_SEGMENT.pack(*row) for row in self._segments()))
        for part in parts.values():
            if part.kind != _NOBITS:
                assert len(content) <= part.address and len(part.content) == part.size, part.name
                content += b"\0" * (part.address - len(content)) + part.content
        content += b"\0" * (headers - len(content))
        return bytes(content + b"".join(_SECTION.pack(*row) for row in rows))

    def _segments(self) -> Iterator[tuple[int, ...]]:
        parts = self.parts
        loaded = (
            (0, parts[".rela.dyn"], _READ),
            (parts[".text"].address, parts[".text"], _READ | _RUN),
            (parts[".rodata"].address, parts[".rodata"], _READ),
            (parts[".dynamic"].address, parts[".got"], _READ | _STORE),
        )
        for start, last, flags in loaded:
            size = last.address + last.size - start
            yield _SEGMENT_LOAD, flags, start, start, start, size, size, _PAGE
        data, zeros = parts[".data"], parts[".bss"]
        size = zeros.address - data.address
        yield _SEGMENT_LOAD, _READ | _STORE, data.address, data.address, data.address, size, size + zeros.size, _PAGE
        dynamic, table = parts[".dynamic"], parts[".got"]
        yield _SEGMENT_DYNAMIC, _READ | _STORE, *(dynamic.address,) * 3, *(dynamic.size,) * 2, 8
        fixed = -(-(table.address + table.size) // _PAGE) * _PAGE - dynamic.address
        yield _SEGMENT_RELRO, _READ, *(dynamic.address,) * 3, *(fixed,) * 2, 1
        yield _SEGMENT_STACK, _READ | _STORE, 0, 0, 0, 0, 0, 16


_FIXED_TAGS = ((11, _SYMBOL.size), (9, RELOCATION.size), (30, _BIND_NOW), (0x6FFFFFFB, _NOW))
_SEGMENT_COUNT = 8
_SEGMENT_STARTS = (".text", ".rodata", ".dynamic", ".data")
_ADDRESS_TAGS = (
    (4, ".hash", "address"),
    (5, ".dynstr", "address"),
    (6, ".dynsym", "address"),
    (10, ".dynstr", "size"),
    (7, ".rela.dyn", "address"),
    (8, ".rela.dyn", "size"),
)
"""Tags of the dynamic section, and what each has: where a part is, or how large."""


def _definitions(objects: list[ElfObject]) -> Iterator[tuple[str, Place]]:
    """Global symbols; those that are not weak come last, and so before others."""
    strong: set[str] = set()
    rows = [
        (symbol, (number, index))
        for number, item in enumerate(objects)
        for index, symbol in enumerate(item.symbols)
        if symbol.binding != LOCAL and symbol.section != UNDEFINED and symbol.name
    ]
    for symbol, place in rows:
        if symbol.binding == WEAK:
            yield symbol.name, place
    for symbol, place in rows:
        if symbol.binding != WEAK:
            if symbol.name in strong:
                raise ValueError(f"'{symbol.name}' is defined twice")
            strong.add(symbol.name)
            yield symbol.name, place
