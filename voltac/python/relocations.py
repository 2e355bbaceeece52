"""What the relocations of an object file ask for, as rows for each machine: to what they refer, and how that is written.

Those that LLVM uses in position-independent code of the small code model; numbers and formulas are those of the
System V ABI for x86-64 and of ELF for the Arm 64-bit Architecture (AAELF64, 5.7).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from enum import Enum

from voltac.python.elf_objects import (
    AARCH64,
    ABS32,
    ABS32S,
    ABS64,
    NONE,
    PC32,
    PC64,
    PLT32,
    VIA_TABLE,
    X86_64,
    NotSupported,
)
from voltac.records import record


class Refers(Enum):
    """What an address is taken of."""

    NOTHING = 0
    SYMBOL = 1
    CALLED = 2
    """A symbol, or a stub near by that jumps to it."""
    ENTRY = 3
    """The word of the table that holds a symbol's address."""


Write = Callable[[mmap.mmap, int, int, int], None]
"""Write an address at an offset of the region: region, offset, the address of that offset, the address to be written."""


@record
class Machine:
    """How code of one architecture is linked."""

    number: int
    """In the header of object files."""
    relocations: dict[int, tuple[Refers, Write]]
    stub_size: int
    write_stub: Callable[[mmap.mmap, int, int], None]
    """Write a jump at an offset of the region, through the word of the table at another one."""
    reach: int
    """Bytes from the region's start, within which functions are called without a stub."""


def _nothing(region: mmap.mmap, at: int, place: int, address: int) -> None:
    pass


def _word64(region: mmap.mmap, at: int, place: int, address: int) -> None:
    struct.pack_into("<Q", region, at, address & 0xFFFFFFFFFFFFFFFF)


def _distance64(region: mmap.mmap, at: int, place: int, address: int) -> None:
    struct.pack_into("<q", region, at, address - place)


def _signed32(region: mmap.mmap, at: int, place: int, address: int) -> None:
    _require_bits(address, 32)
    struct.pack_into("<i", region, at, address)


def _unsigned32(region: mmap.mmap, at: int, place: int, address: int) -> None:
    if not 0 <= address < 1 << 32:
        raise NotSupported("an address that does not fit")
    struct.pack_into("<I", region, at, address)


def _distance32(region: mmap.mmap, at: int, place: int, address: int) -> None:
    _signed32(region, at, place, address - place)


def _require_bits(value: int, bits: int) -> None:
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise NotSupported("a distance that does not fit")


# --- x86-64 ---------------------------------------------------------------------------------------------------------


def _jump_x86(region: mmap.mmap, at: int, entry: int) -> None:
    """``jmp *entry(%rip)``."""
    struct.pack_into("<2si", region, at, b"\xff\x25", entry - (at + 6))


# --- aarch64 --------------------------------------------------------------------------------------------------------

_ARM_PAGE_BITS = 12
"""Of the pages that ``adrp`` counts in, however large those of the system are."""


def _or_into(region: mmap.mmap, at: int, bits: int) -> None:
    (instruction,) = struct.unpack_from("<I", region, at)
    struct.pack_into("<I", region, at, instruction | bits)


def _branch(region: mmap.mmap, at: int, place: int, address: int) -> None:
    """The 26 bits of ``b`` and ``bl`` that count instructions."""
    _require_bits(address - place, 28)
    _or_into(region, at, address - place >> 2 & 0x3FFFFFF)


def _page(region: mmap.mmap, at: int, place: int, address: int) -> None:
    """The pages between, in ``adrp``: the lowest two bits stand apart from the others."""
    pages = (address >> _ARM_PAGE_BITS) - (place >> _ARM_PAGE_BITS)
    _require_bits(pages, 21)
    _or_into(region, at, (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5)


def _in_page(scale: int) -> Write:
    """Where in its page an address lies, counted in ``1 << scale`` bytes, in an addition, a load or a store."""

    def write(region: mmap.mmap, at: int, place: int, address: int) -> None:
        _or_into(region, at, (address & 0xFFF) >> scale << 10)

    return write


def _jump_arm(region: mmap.mmap, at: int, entry: int) -> None:
    """``adrp x16, entry``, ``ldr x16, [x16, entry]``, ``br x16``: the register is there for that."""
    struct.pack_into("<3I", region, at, 0x90000010, 0xF9400210, 0xD61F0200)
    # The region begins with a page, so that offsets in it stand for addresses.
    _page(region, at, at, entry)
    _in_page(3)(region, at + 4, at + 4, entry)


_SYMBOL, _CALLED, _ENTRY = Refers.SYMBOL, Refers.CALLED, Refers.ENTRY

_X86 = Machine(
    number=X86_64,
    relocations={
        NONE: (Refers.NOTHING, _nothing),
        ABS64: (_SYMBOL, _word64),
        PC32: (_SYMBOL, _distance32),
        PLT32: (_CALLED, _distance32),
        ABS32: (_SYMBOL, _unsigned32),
        ABS32S: (_SYMBOL, _signed32),
        PC64: (_SYMBOL, _distance64),
        **dict.fromkeys(VIA_TABLE, (_ENTRY, _distance32)),
    },
    stub_size=8,
    write_stub=_jump_x86,
    reach=1 << 30,
)

_ARM = Machine(
    number=AARCH64,
    relocations={
        0: (Refers.NOTHING, _nothing),
        257: (_SYMBOL, _word64),  # ABS64
        258: (_SYMBOL, _unsigned32),  # ABS32
        260: (_SYMBOL, _distance64),  # PREL64
        261: (_SYMBOL, _distance32),  # PREL32
        275: (_SYMBOL, _page),  # ADR_PREL_PG_HI21
        277: (_SYMBOL, _in_page(0)),  # ADD_ABS_LO12_NC
        278: (_SYMBOL, _in_page(0)),  # LDST8_ABS_LO12_NC, and of 16, 32, 64 and 128 bits
        284: (_SYMBOL, _in_page(1)),
        285: (_SYMBOL, _in_page(2)),
        286: (_SYMBOL, _in_page(3)),
        299: (_SYMBOL, _in_page(4)),
        282: (_CALLED, _branch),  # JUMP26
        283: (_CALLED, _branch),  # CALL26
        311: (_ENTRY, _page),  # ADR_GOT_PAGE
        312: (_ENTRY, _in_page(3)),  # LD64_GOT_LO12_NC
    },
    stub_size=12,
    write_stub=_jump_arm,
    reach=1 << 26,
)

MACHINES = {"x86-64": _X86, "aarch64": _ARM}
"""By the name of the architecture."""
