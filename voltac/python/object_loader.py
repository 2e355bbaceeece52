"""ELF object files → code in this process, without LLVM: map, relocate, protect.

Knows what position-independent code of LLVM for x86-64 and aarch64 contains and
says :class:`NotSupported` to all else, which on x86-64 :func:`load` then leaves to
LLVM's own linker. Objects loaded together see each other's symbols; what none of them
defines comes from ``imports``, then from the libraries of this process. Memory is
writable while it is filled and executable only afterwards, never both.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache

from voltac.llvm.host import architecture_here
from voltac.python.elf_objects import (
    ABSOLUTE,
    COMMON,
    EXECUTE,
    LOCAL,
    NO_DATA,
    PAGE,
    RELOCATION,
    RELOCATIONS,
    UNDEFINED,
    WEAK,
    WRITE,
    ElfObject,
    ElfSymbol,
    NotSupported,
    is_loaded,
    read_object,
)
from voltac.python.relocations import MACHINES, Machine, Refers


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
    except NotSupported as reason:
        if architecture_here() == "aarch64":
            # The linker in llvmlite ends the process where parts of an object lie too far from each other.
            raise _broken(f"the object cannot be loaded: it has {reason}") from None
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
    machine = MACHINES.get(architecture_here())
    if machine is None or sys.platform != "linux":
        raise NotSupported("code for another system than Linux, or for an unknown machine")
    try:
        objects = [read_object(code, machine.number) for code in codes]
        return _link(machine, objects, imports)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise _broken(f"the object is damaged: {error}") from None
    except ValueError as error:
        raise _broken(str(error)) from None


def _link(machine: Machine, objects: list[ElfObject], imports: Mapping[str, int]) -> LoadedCode:
    outside = {symbol.name for item in objects for symbol in item.symbols if symbol.section == UNDEFINED and symbol.name} | {
        symbol.name for item in objects for symbol in item.symbols if symbol.binding != LOCAL
    }
    table_size = 8 * len(outside)
    text_end = _place(objects, 0, EXECUTE)
    stubs = -(-text_end // 8) * 8
    table = _page_after(stubs + machine.stub_size * len(outside))
    constants_end = _place(objects, table + table_size, 0)
    data = _page_after(constants_end)
    end = _place(objects, data, WRITE)
    end = _place_common(objects, end)
    region = mmap.mmap(-1, max(PAGE, _page_after(end)), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    anchor = ctypes.c_char.from_buffer(region)
    base = ctypes.addressof(anchor)
    linker = _Linker(machine, region, base, imports, stubs, table)
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

    def __init__(
        self, machine: Machine, region: mmap.mmap, base: int, imports: Mapping[str, int], stubs: int, table: int
    ) -> None:
        self.machine = machine
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
        if kind not in self.machine.relocations:
            raise NotSupported(f"relocation of type {kind}")
        refers, write = self.machine.relocations[kind]
        if refers is Refers.NOTHING:
            return
        if refers is Refers.ENTRY:
            target = self.base + self._entry(item, number)
        else:
            target = self.address_of(item, number)
            if refers is Refers.CALLED and not self._is_near(target):
                target = self.base + self._stub(item, number)
        write(self.region, place - self.base, place, target + addend)

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
        return abs(address - self.base) < self.machine.reach

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

    def _stub(self, item: ElfObject, number: int) -> int:
        name = item.symbols[number].name
        known = self._stubs.get(name)
        if known is None:
            known = self._stubs[name] = self._next_stub
            self._next_stub += self.machine.stub_size
            self.machine.write_stub(self.region, known, self._entry(item, number))
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
