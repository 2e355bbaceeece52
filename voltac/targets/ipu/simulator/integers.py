"""The functions that meanings of the main pipe's rows call, on 32 bits without sign (IPU 3.1, 3.4)."""

from __future__ import annotations

from typing import Any

M = 0xFFFFFFFF
"""All bits of a register."""
_ADDRESS = 0x1FFFFF
"""Those of an address."""


def signed(value: int) -> int:
    """The number with a sign that has the same bits."""
    return (value ^ 0x80000000) - 0x80000000


def shl(value: int, amount: int) -> int:
    """Left; amounts from 32 on give 0 (assumed)."""
    return value << amount & M if amount < 32 else 0


def shr(value: int, amount: int) -> int:
    """Right, zeros come in."""
    return value >> amount if amount < 32 else 0


def shrs(value: int, amount: int) -> int:
    """Right, the sign comes in."""
    return signed(value) >> min(amount, 31) & M


def shuf8(s: int, t: int) -> int:
    """The two low bytes of each, in turn."""
    return s & 0xFF | (t & 0xFF) << 8 | (s & 0xFF00) << 8 | (t & 0xFF00) << 16


def even8(value: int) -> int:
    """Bytes 0 and 2, side by side."""
    return value & 0xFF | value >> 8 & 0xFF00


def bitrev8(value: int) -> int:
    """The bits of each byte in reverse."""
    value = (value & 0x55555555) << 1 | value >> 1 & 0x55555555
    value = (value & 0x33333333) << 2 | value >> 2 & 0x33333333
    return (value & 0x0F0F0F0F) << 4 | value >> 4 & 0x0F0F0F0F


def cms(value: int) -> int:
    """Leading bits that equal the sign, which is not counted."""
    return 31 - ((value ^ M if value >> 31 else value).bit_length())


def low2(value: int) -> int:
    """The low half in both halves."""
    return (value & 0xFFFF) * 0x10001


def high2(value: int) -> int:
    """The high half in both halves."""
    return (value >> 16) * 0x10001


def packed(p: int, q: int, r: int) -> tuple[int, int]:
    """Three addresses in a pair (IPU 3.4)."""
    p, q, r = p & _ADDRESS, q & _ADDRESS, r & _ADDRESS
    return p | (r & 0x7FF) << 21, q | r >> 11 << 21


def step_of(stride: int, selector: int) -> int:
    """Bytes of a step: one atom, or as many as a field of ten bits says."""
    if not selector:
        return 8
    field = stride >> 10 * (selector - 1) & 0x3FF
    return 8 * ((field ^ 0x200) - 0x200)


FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (signed, shl, shr, shrs, shuf8, even8, bitrev8, cms, low2, high2, packed, step_of)
}
"""By the names that the rows use."""
