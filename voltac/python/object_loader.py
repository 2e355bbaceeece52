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

from voltac.python.elf_objects import (
    ABS32,
    ABS32S,
    ABS64,
    ABSOLUTE,
    COMMON,
    EXECUTE,
    LOCAL,
    NO_DATA,
    NONE,
    PAGE,
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


class Unresolved(Exception):
    """Nothing defines a symbol that the code uses; ``str()`` is its name."""


class LoadedCode:
    """Loaded code: the addresses of its symbols. The memory lives as long as this object."""

    def __init__(self, addresses: Mapping[str, int], owners: Sequence[object]) -> None:
        self.addresses = addresses
        self._owners = owners


_STUB = 8
"""Bytes of ``jmp *entry(%rip)``, filled up."""


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


# --- placing and linking ------------------------------------------------------------------------------------------


def _broken(what: str) -> Exception:
    from voltac.messages.diagnostics import InternalError  # late: a cached kernel is called without messages

    return InternalError(f"stage 'load': {what}")


def _load_elf(codes: Sequence[bytes], imports: Mapping[str, int]) -> LoadedCode:
    if platform.machine() not in ("x86_64", "AMD64") or platform.system() != "Linux":
        raise NotSupported("not Linux on x86-64")
    try:
        objects = [read_object(code) for code in codes]
        return _link(objects, imports)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise _broken(f"the object is damaged: {error}") from None
    except ValueError as error:
        raise _broken(str(error)) from None


def _link(objects: list[ElfObject], imports: Mapping[str, int]) -> LoadedCode:
    outside = {symbol.name for item in objects for symbol in item.symbols if symbol.section == UNDEFINED and symbol.name} | {
        symbol.name for item in objects for symbol in item.symbols if symbol.binding != LOCAL
    }
    table_size = 8 * len(outside)
    text_end = _place(objects, 0, EXECUTE)
    stubs = -(-text_end // _STUB) * _STUB
    table = _page_after(stubs + _STUB * len(outside))
    constants_end = _place(objects, table + table_size, 0)
    data = _page_after(constants_end)
    end = _place(objects, data, WRITE)
    end = _place_common(objects, end)
    region = mmap.mmap(-1, max(PAGE, _page_after(end)), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
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
    return -(-offset // PAGE) * PAGE


def _place(objects: list[ElfObject], start: int, kind: int) -> int:
    """Give the sections of one kind of memory their places from ``start`` on; returns the end."""
    for item in objects:
        for section in item.loaded():
            if section.flags & (EXECUTE | WRITE) == kind:
                section.address = -(-start // section.alignment) * section.alignment
                start = section.address + section.size
            elif section.flags & EXECUTE and section.flags & WRITE:
                raise NotSupported("a section both writable and executable")
    return start


def _place_common(objects: list[ElfObject], start: int) -> int:
    """Variables without a section, which the linker has to place: turned into addresses in the region."""
    for item in objects:
        for symbol in item.symbols:
            if symbol.section == COMMON:
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

    def fill(self, objects: list[ElfObject]) -> None:
        """Copy the sections; their places become addresses."""
        for item in objects:
            for section in item.loaded():
                if section.kind != NO_DATA:
                    self.region[section.address : section.address + section.size] = item.code[
                        section.offset : section.offset + section.size
                    ]
                section.address += self.base

    def define(self, objects: list[ElfObject]) -> None:
        """Addresses of all symbols the objects define."""
        weak: set[str] = set()
        for item in objects:
            for symbol in item.symbols:
                address = self._address(item, symbol)
                item.addresses.append(address)
                if address is None or symbol.binding == LOCAL or not symbol.name:
                    continue
                if symbol.name in self.defined and symbol.binding != WEAK and symbol.name not in weak:
                    raise ValueError(f"symbol '{symbol.name}' is defined twice")
                if symbol.name not in self.defined or (symbol.name in weak and symbol.binding != WEAK):
                    self.defined[symbol.name] = address
                    (weak.add if symbol.binding == WEAK else weak.discard)(symbol.name)

    def _address(self, item: ElfObject, symbol: ElfSymbol) -> int | None:
        if symbol.section == UNDEFINED:
            return None
        if symbol.section == ABSOLUTE:
            return symbol.value
        if symbol.section == -1:
            return self.base + symbol.value
        section = item.sections[symbol.section]
        return section.address + symbol.value if is_loaded(section) else None

    def relocate(self, item: ElfObject) -> None:
        for table in item.sections:
            if table.kind != RELOCATIONS or not is_loaded(item.sections[table.target]):
                continue
            section = item.sections[table.target]
            rows = RELOCATION.iter_unpack(item.code[table.offset : table.offset + table.size])
            for offset, kind, number, addend in rows:
                self._relocate_one(item, section.address + offset, kind, number, addend)

    def _relocate_one(self, item: ElfObject, place: int, kind: int, number: int, addend: int) -> None:
        at = place - self.base
        if kind in VIA_TABLE:
            self._put32(at, self.base + self._entry(item, number) + addend - place)
            return
        if kind not in (ABS64, PC32, PLT32, PC64, ABS32S, ABS32, NONE):
            raise NotSupported(f"relocation of type {kind}")
        symbol = item.symbols[number]
        target = self.address_of(item, number)
        if kind == ABS64:
            struct.pack_into("<Q", self.region, at, (target + addend) & 0xFFFFFFFFFFFFFFFF)
        elif kind in (PC32, PLT32):
            if kind == PLT32 and not self._is_near(target):
                target = self.base + self._stub(item, number, symbol.name)
            self._put32(at, target + addend - place)
        elif kind == PC64:
            struct.pack_into("<q", self.region, at, target + addend - place)
        elif kind == ABS32S:
            self._put32(at, target + addend)
        elif kind == ABS32:
            if not 0 <= target + addend < 1 << 32:
                raise NotSupported("an address that does not fit")
            struct.pack_into("<I", self.region, at, target + addend)

    def address_of(self, item: ElfObject, number: int) -> int:
        address = item.addresses[number]
        symbol = item.symbols[number]
        if symbol.binding == LOCAL and address is not None:
            return address
        found = self.defined.get(symbol.name)
        if found is None:
            found = self.imports.get(symbol.name)
        if found is None:
            found = process_symbol(symbol.name)
        if found is None:
            if symbol.binding == WEAK:
                return 0
            raise Unresolved(symbol.name)
        return found

    def _is_near(self, address: int) -> bool:
        return abs(address - self.base) < 1 << 30

    def _put32(self, at: int, value: int) -> None:
        if not -(1 << 31) <= value < 1 << 31:
            raise NotSupported("a distance that does not fit")
        struct.pack_into("<i", self.region, at, value)

    def _entry(self, item: ElfObject, number: int) -> int:
        symbol = item.symbols[number]
        address = self.address_of(item, number)
        if symbol.binding == LOCAL:
            # Rare enough that no room was kept for it.
            raise NotSupported("the address of a local symbol through the table")
        known = self._entries.get(symbol.name)
        if known is None:
            known = self._entries[symbol.name] = self._next_entry
            self._next_entry += 8
            struct.pack_into("<Q", self.region, known, address)
        return known

    def _stub(self, item: ElfObject, number: int, name: str) -> int:
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
