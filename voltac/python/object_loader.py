"""ELF object files → code in this process, without LLVM: map, relocate, protect.

Knows what position-independent x86-64 code of LLVM contains and says
:class:`NotSupported` to all else, which :func:`load` then leaves to LLVM's own
linker. Objects loaded together see each other's symbols; what none of them
defines comes from ``imports``, then from the libraries of this process. Memory is
writable while it is filled and executable only afterwards, never both.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
from collections.abc import Mapping, Sequence
from functools import cache

from voltac.records import field, mutable_record


class NotSupported(Exception):
    """The object has something in it that this loader leaves to LLVM's linker."""


class Unresolved(Exception):
    """Nothing defines a symbol that the code uses; ``str()`` is its name."""


class LoadedCode:
    """Loaded code: the addresses of its symbols. The memory lives as long as this object."""

    def __init__(self, addresses: Mapping[str, int], owners: Sequence[object]) -> None:
        self.addresses = addresses
        self._owners = owners


def load(objects: Sequence[bytes], imports: Mapping[str, int], exports: Sequence[str]) -> LoadedCode:
    """Load objects that may refer to each other.

    ``exports`` are the symbols whose addresses the caller will ask for.
    """
    try:
        return _load_elf(objects, imports)
    except NotSupported:
        return _load_with_llvm(objects, imports, exports)


def _load_with_llvm(objects: Sequence[bytes], imports: Mapping[str, int], exports: Sequence[str]) -> LoadedCode:
    from voltac.llvm import load_objects  # late: importing llvmlite is slow

    loaded = load_objects(objects, exports, imports)
    return LoadedCode({name: loaded.address(name) for name in exports}, (loaded,))


# --- the ELF format -----------------------------------------------------------------------------------------------

_HEADER = struct.Struct("<4s5B7xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")

# Numbers of the ELF format: kinds of files, machines, sections and their flags, places and bindings of symbols.
_RELOCATABLE, _X86_64 = 1, 62
_SYMBOL_TABLE, _RELOCATIONS, _NO_DATA, _X86_64_UNWIND = 2, 4, 8, 0x70000001
_INITIALISERS = (14, 15, 16)
_WRITE, _ALLOCATE, _EXECUTE, _THREAD_LOCAL = 0x1, 0x2, 0x4, 0x400
_UNDEFINED, _ABSOLUTE, _COMMON = 0, 0xFFF1, 0xFFF2
_LOCAL, _WEAK = 0, 2
_INDIRECT_FUNCTION = 10

# Relocations, as the ABI of x86-64 numbers them.
_NONE, _64, _PC32, _PLT32, _GOTPCREL, _32, _32S, _PC64 = 0, 1, 2, 4, 9, 10, 11, 24
_GOTPCRELX, _REX_GOTPCRELX = 41, 42
_VIA_TABLE = (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX)

_PAGE = mmap.PAGESIZE
_STUB = 8
"""Bytes of ``jmp *entry(%rip)``, filled up."""


@mutable_record
class _Section:
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
class _Symbol:
    name: str
    binding: int
    kind: int
    section: int
    value: int
    size: int


@mutable_record
class _Object:
    code: bytes
    sections: list[_Section]
    symbols: list[_Symbol]
    addresses: list[int | None] = field(default_factory=list)
    """Of the symbols; None for undefined ones that are looked up elsewhere."""

    def loaded(self) -> list[_Section]:
        return [section for section in self.sections if _is_loaded(section)]


def _is_loaded(section: _Section) -> bool:
    # Nothing unwinds through kernels: the tables for it are left out.
    return bool(section.flags & _ALLOCATE and section.kind != _X86_64_UNWIND)


def _read(code: bytes) -> _Object:
    if len(code) < _HEADER.size or code[:4] != b"\x7fELF" or code[4:6] != b"\x02\x01":
        raise NotSupported("not a little-endian ELF64 object")
    header = _HEADER.unpack_from(code)
    kind, machine, section_table, entry_size, section_count = header[6], header[7], header[11], header[16], header[17]
    if kind != _RELOCATABLE or machine != _X86_64 or entry_size != _SECTION.size or not section_count:
        raise NotSupported("not a relocatable object for x86-64")
    if len(code) < section_table + section_count * _SECTION.size:
        raise ValueError("the object is cut off")
    sections = []
    for row in _SECTION.iter_unpack(code[section_table : section_table + section_count * _SECTION.size]):
        _, section_kind, flags, _, offset, size, link, info, alignment, _ = row
        sections.append(_Section(section_kind, flags, offset, size, link, info, max(1, alignment)))
    symbols: list[_Symbol] = []
    for section in sections:
        if section.kind in _INITIALISERS or section.flags & _THREAD_LOCAL:
            raise NotSupported("constructors or thread-local data")
        if section.alignment > _PAGE:
            raise NotSupported("alignment beyond a page")
        if section.kind == _SYMBOL_TABLE:
            symbols = _read_symbols(code, section, sections[section.link])
    return _Object(code, sections, symbols)


def _read_symbols(code: bytes, table: _Section, strings: _Section) -> list[_Symbol]:
    names = code[strings.offset : strings.offset + strings.size]
    found = []
    for at, info, _, section, value, size in _SYMBOL.iter_unpack(code[table.offset : table.offset + table.size]):
        if info & 15 == _INDIRECT_FUNCTION:
            raise NotSupported("a function chosen when loading")
        # The name of the source is one of them, and may be any bytes.
        name = names[at : names.index(b"\0", at)].decode("utf-8", "surrogateescape")
        found.append(_Symbol(name, info >> 4, info & 15, section, value, size))
    return found


# --- placing and linking ------------------------------------------------------------------------------------------


def _broken(what: str) -> Exception:
    from voltac.messages.diagnostics import InternalError  # late: a cached kernel is called without messages

    return InternalError(f"stage 'load': {what}")


def _load_elf(codes: Sequence[bytes], imports: Mapping[str, int]) -> LoadedCode:
    if platform.machine() not in ("x86_64", "AMD64") or platform.system() != "Linux":
        raise NotSupported("not Linux on x86-64")
    try:
        objects = [_read(code) for code in codes]
        return _link(objects, imports)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise _broken(f"the object is damaged: {error}") from None
    except ValueError as error:
        raise _broken(str(error)) from None


def _link(objects: list[_Object], imports: Mapping[str, int]) -> LoadedCode:
    outside = {symbol.name for item in objects for symbol in item.symbols if symbol.section == _UNDEFINED and symbol.name} | {
        symbol.name for item in objects for symbol in item.symbols if symbol.binding != _LOCAL
    }
    table_size = 8 * len(outside)
    text_end = _place(objects, 0, _EXECUTE)
    stubs = -(-text_end // _STUB) * _STUB
    table = _page_after(stubs + _STUB * len(outside))
    constants_end = _place(objects, table + table_size, 0)
    data = _page_after(constants_end)
    end = _place(objects, data, _WRITE)
    end = _place_common(objects, end)
    region = mmap.mmap(-1, max(_PAGE, _page_after(end)), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    anchor = ctypes.c_char.from_buffer(region)
    base = ctypes.addressof(anchor)
    linker = _Linker(region, base, imports, stubs, table)
    linker.fill(objects)
    linker.define(objects)
    for item in objects:
        linker.relocate(item)
    _protect(base, table, mmap.PROT_READ | mmap.PROT_EXEC)
    _protect(base + table, data - table, mmap.PROT_READ)
    return LoadedCode(linker.defined, (anchor, region))


def _page_after(offset: int) -> int:
    return -(-offset // _PAGE) * _PAGE


def _place(objects: list[_Object], start: int, kind: int) -> int:
    """Give the sections of one kind of memory their places from ``start`` on; returns the end."""
    for item in objects:
        for section in item.loaded():
            if section.flags & (_EXECUTE | _WRITE) == kind:
                section.address = -(-start // section.alignment) * section.alignment
                start = section.address + section.size
            elif section.flags & _EXECUTE and section.flags & _WRITE:
                raise NotSupported("a section both writable and executable")
    return start


def _place_common(objects: list[_Object], start: int) -> int:
    """Variables without a section, which the linker has to place: turned into addresses in the region."""
    for item in objects:
        for symbol in item.symbols:
            if symbol.section == _COMMON:
                start = -(-start // symbol.value) * symbol.value
                symbol.section, symbol.value = -1, start
                start += symbol.size
    return start


class _Linker:
    """The region being filled, and what its symbols mean."""

    def __init__(self, region: mmap.mmap, base: int, imports: Mapping[str, int], stubs: int, table: int) -> None:
        self.region = region
        self.base = base
        self.imports = imports
        self.defined: dict[str, int] = {}
        self._next_stub = stubs
        self._next_entry = table
        self._entries: dict[str | int, int] = {}
        """Symbol name, or address of a local symbol -> offset of the word that holds its address."""
        self._stubs: dict[str, int] = {}

    def fill(self, objects: list[_Object]) -> None:
        """Copy the sections; their places become addresses."""
        for item in objects:
            for section in item.loaded():
                if section.kind != _NO_DATA:
                    self.region[section.address : section.address + section.size] = item.code[
                        section.offset : section.offset + section.size
                    ]
                section.address += self.base

    def define(self, objects: list[_Object]) -> None:
        """Addresses of all symbols the objects define."""
        weak: set[str] = set()
        for item in objects:
            for symbol in item.symbols:
                address = self._address(item, symbol)
                item.addresses.append(address)
                if address is None or symbol.binding == _LOCAL or not symbol.name:
                    continue
                if symbol.name in self.defined and symbol.binding != _WEAK and symbol.name not in weak:
                    raise ValueError(f"symbol '{symbol.name}' is defined twice")
                if symbol.name not in self.defined or (symbol.name in weak and symbol.binding != _WEAK):
                    self.defined[symbol.name] = address
                    (weak.add if symbol.binding == _WEAK else weak.discard)(symbol.name)

    def _address(self, item: _Object, symbol: _Symbol) -> int | None:
        if symbol.section == _UNDEFINED:
            return None
        if symbol.section == _ABSOLUTE:
            return symbol.value
        if symbol.section == -1:
            return self.base + symbol.value
        section = item.sections[symbol.section]
        return section.address + symbol.value if _is_loaded(section) else None

    def relocate(self, item: _Object) -> None:
        for table in item.sections:
            if table.kind != _RELOCATIONS or not _is_loaded(item.sections[table.target]):
                continue
            section = item.sections[table.target]
            rows = _RELOCATION.iter_unpack(item.code[table.offset : table.offset + table.size])
            for offset, kind, number, addend in rows:
                self._relocate_one(item, section.address + offset, kind, number, addend)

    def _relocate_one(self, item: _Object, place: int, kind: int, number: int, addend: int) -> None:
        at = place - self.base
        if kind in _VIA_TABLE:
            self._put32(at, self.base + self._entry(item, number) + addend - place)
            return
        if kind not in (_64, _PC32, _PLT32, _PC64, _32S, _32, _NONE):
            raise NotSupported(f"relocation of type {kind}")
        symbol = item.symbols[number]
        target = self.address_of(item, number)
        if kind == _64:
            struct.pack_into("<Q", self.region, at, (target + addend) & 0xFFFFFFFFFFFFFFFF)
        elif kind in (_PC32, _PLT32):
            if kind == _PLT32 and not self._is_near(target):
                target = self.base + self._stub(item, number, symbol.name)
            self._put32(at, target + addend - place)
        elif kind == _PC64:
            struct.pack_into("<q", self.region, at, target + addend - place)
        elif kind == _32S:
            self._put32(at, target + addend)
        elif kind == _32:
            if not 0 <= target + addend < 1 << 32:
                raise NotSupported("an address that does not fit")
            struct.pack_into("<I", self.region, at, target + addend)

    def address_of(self, item: _Object, number: int) -> int:
        address = item.addresses[number]
        symbol = item.symbols[number]
        if symbol.binding == _LOCAL and address is not None:
            return address
        found = self.defined.get(symbol.name)
        if found is None:
            found = self.imports.get(symbol.name)
        if found is None:
            found = process_symbol(symbol.name)
        if found is None:
            if symbol.binding == _WEAK:
                return 0
            raise Unresolved(symbol.name)
        return found

    def _is_near(self, address: int) -> bool:
        return abs(address - self.base) < 1 << 30

    def _put32(self, at: int, value: int) -> None:
        if not -(1 << 31) <= value < 1 << 31:
            raise NotSupported("a distance that does not fit")
        struct.pack_into("<i", self.region, at, value)

    def _entry(self, item: _Object, number: int) -> int:
        symbol = item.symbols[number]
        address = self.address_of(item, number)
        if symbol.binding == _LOCAL:
            # Rare enough that no room was kept for it.
            raise NotSupported("the address of a local symbol through the table")
        known = self._entries.get(symbol.name)
        if known is None:
            known = self._entries[symbol.name] = self._next_entry
            self._next_entry += 8
            struct.pack_into("<Q", self.region, known, address)
        return known

    def _stub(self, item: _Object, number: int, name: str) -> int:
        known = self._stubs.get(name)
        if known is None:
            known = self._stubs[name] = self._next_stub
            self._next_stub += _STUB
            entry = self._entry(item, number)
            self.region[known : known + 2] = b"\xff\x25"
            struct.pack_into("<i", self.region, known + 2, entry - (known + 6))
        return known


# --- the process --------------------------------------------------------------------------------------------------


_LIBRARIES = (None, "libm.so.6", "libgcc_s.so.1")
"""Where symbols are looked up: what the process has loaded, then what compiled code may need besides."""


@cache
def _library(name: str | None) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


@cache
def process_symbol(name: str) -> int | None:
    """The address of a function or variable of a library of this process."""
    for library in map(_library, _LIBRARIES):
        try:
            if library is not None:
                return ctypes.cast(library[name], ctypes.c_void_p).value
        except AttributeError:
            continue
    return None


@cache
def _mprotect() -> ctypes._NamedFuncPointer:
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


def _protect(address: int, size: int, protection: int) -> None:
    if size and _mprotect()(address, size, protection):
        raise _broken(f"the system does not let memory become executable (errno {ctypes.get_errno()})")
