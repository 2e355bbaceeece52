"""A module → its text, without a change of the process's locale.

llvmlite sets the locale of the whole process to "C" while it prints a module, and then back: other
threads would format and compare texts by it meanwhile, and lose a change of their own.
So its calls of ``setlocale`` are led nowhere for so long, in the table through which the
library reaches the C library, and the locale is "C" for the printing thread alone. Where that table
is not as expected nothing is changed.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_ALL_CATEGORIES = 0x1FBF
_DYNAMIC = 2
_STRINGS, _SYMBOLS, _RELOCATIONS, _RELOCATIONS_SIZE, _CALLS, _CALLS_SIZE = 5, 6, 7, 8, 23, 2
_ADDRESS_OF_SYMBOL = (6, 7)
"""Types of relocations, R_X86_64_GLOB_DAT and R_X86_64_JUMP_SLOT."""


def text_of(module: Any, llvm: Any) -> str:
    """The text of one of llvmlite's modules; ``llvm`` is its binding."""
    with _own_locale(llvm):
        return str(module)


@contextmanager
def _own_locale(llvm: Any) -> Iterator[None]:
    slots = _slots(llvm)
    if not slots:
        yield
        return
    system = _system()
    with llvm.ffi.lib._lock:
        before = ctypes.c_void_p.from_address(slots[0]).value or 0
        _fill(slots, ctypes.cast(_stays, ctypes.c_void_p).value or 0)
        mine = system.uselocale(ctypes.c_void_p(_c_locale()))
        try:
            yield
        finally:
            system.uselocale(ctypes.c_void_p(mine))
            _fill(slots, before)


_name = ctypes.create_string_buffer(b"C")


_stays = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda category, name: ctypes.addressof(_name))
"""In place of ``setlocale``."""


@cache
def _system() -> Any:
    system = ctypes.CDLL(None)
    system.uselocale.restype = system.newlocale.restype = ctypes.c_void_p
    return system


@cache
def _c_locale() -> int:
    made: int = _system().newlocale(_ALL_CATEGORIES, b"C", None)
    return made


def _fill(slots: tuple[int, ...], address: int) -> None:
    for slot in slots:
        ctypes.c_void_p.from_address(slot).value = address


# --- the table ----------------------------------------------------------------------------------------------------------


class _Place(ctypes.Structure):
    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


@cache
def _slots(llvm: Any) -> tuple[int, ...]:
    """Where llvmlite's library has the address of ``setlocale``; empty if it cannot be told or written."""
    if sys.platform != "linux" or sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return ()
    place = _Place()
    function = ctypes.cast(llvm.ffi.lib._lib_handle.LLVMPY_PrintModuleToString, ctypes.c_void_p)
    if not _system().dladdr(function, ctypes.byref(place)) or not place.base:
        return ()
    base: int = place.base
    if ctypes.string_at(base, 4) != b"\x7fELF":
        return ()
    wanted = ctypes.cast(ctypes.CDLL(None).setlocale, ctypes.c_void_p).value
    table = _dynamic_section(base)
    for start, size in ((_CALLS, _CALLS_SIZE), (_RELOCATIONS, _RELOCATIONS_SIZE)):
        found = tuple(_imports(base, table, start, size, b"setlocale"))
        if found:
            known = all(ctypes.c_void_p.from_address(slot).value == wanted for slot in found)
            return found if known and all(map(_is_writable, found)) else ()
    return ()


def _imports(base: int, table: dict[int, int], start: int, size: int, name: bytes) -> Iterator[int]:
    """Addresses of the words that the dynamic linker fills with the address of a function."""
    if not {_STRINGS, _SYMBOLS, start, size} <= table.keys():
        return
    strings, symbols = (_absolute(base, table[tag]) for tag in (_STRINGS, _SYMBOLS))
    rows = (ctypes.c_uint64 * (table[size] // 8)).from_address(_absolute(base, table[start]))
    for row in range(0, len(rows), 3):
        offset, info = rows[row], rows[row + 1]
        if info & 0xFFFFFFFF in _ADDRESS_OF_SYMBOL:
            symbol = ctypes.c_uint32.from_address(symbols + 24 * (info >> 32)).value
            if ctypes.string_at(strings + symbol, len(name) + 1) == name + b"\0":
                yield base + offset


def _dynamic_section(base: int) -> dict[int, int]:
    header = ctypes.c_uint64.from_address(base + 32).value
    count = ctypes.c_uint16.from_address(base + 56).value
    for number in range(count):
        row = base + header + 56 * number
        if ctypes.c_uint32.from_address(row).value == _DYNAMIC:
            at, size = (ctypes.c_uint64.from_address(row + place).value for place in (16, 40))
            words = (ctypes.c_uint64 * (size // 8)).from_address(base + at)
            return {words[word]: words[word + 1] for word in range(0, len(words), 2)}
    return {}


def _absolute(base: int, address: int) -> int:
    """The linker has added the library's own address, or not."""
    return address if address >= base else base + address


def _is_writable(address: int) -> bool:
    """Whether the linker has left the word open."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            area, permissions = line.split(" ", 2)[:2]
            start, end = (int(part, 16) for part in area.split("-"))
            if start <= address < end:
                return permissions.startswith("rw")
    return False
