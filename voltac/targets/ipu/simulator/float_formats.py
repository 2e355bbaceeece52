"""Bits ⇄ numbers: single precision whose subnormal numbers are zero, half precision that keeps them (IPU 3.5, 9.2)."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

NEAREST_EVEN, UP, DOWN, TOWARD_ZERO, NEAREST_AWAY = range(5)
"""The rounding modes of ``$FP_CTL.RND`` and ``f32int`` (IPU 1.3)."""

QUIET_NAN = 0x7FC00000
QUIET_HALF_NAN = 0x7E00
"""The NaN that operations make, of both formats. Chosen: the reference names no payload."""
INFINITY = 0x7F800000
INFINITE_HALF_BITS = 0x7C00
LARGEST_HALF_BITS = 0x7BFF
"""Bits of infinities, and of the largest finite half."""
LARGEST = 3.4028234663852886e38
LARGEST_HALF = 65504.0
"""The largest finite numbers."""
SMALLEST_NORMAL = 2.0**-126
"""Smaller single-precision numbers are zero."""

_SCRATCH = bytearray(8)
_BITS = memoryview(_SCRATCH).cast("I")
_FLOATS = memoryview(_SCRATCH).cast("f")
HALVES: tuple[float, ...] = struct.unpack("<65536e", struct.pack("<65536H", *range(65536)))
"""Bits → the number."""


def single(bits: int) -> float:
    """The number; subnormal ones are zero with their sign."""
    if not bits & INFINITY:
        return -0.0 if bits >> 31 else 0.0
    _BITS[0] = bits
    return _FLOATS[0]


def is_signalling(bits: int) -> bool:
    """Whether it is a signalling NaN."""
    return bits & 0x7FC00000 == INFINITY and bits & 0x3FFFFF != 0


def single_bits(value: float) -> int:
    """The bits of the nearest single-precision number, without flags; beyond the range infinity, below it zero."""
    if value != value:
        return QUIET_NAN
    _FLOATS[0] = value
    bits = _BITS[0]
    return bits if bits & INFINITY else bits & 0x80000000


def rounded(value: Fraction, mode: int, digits: int, least: int) -> Fraction:
    """The number of ``digits`` binary digits next to a value that is not zero; the last digit is at least 2**least."""
    size = abs(value)
    exponent = math.frexp(float(size))[1] if size < Fraction(2) ** 1023 else 1024
    # The estimate of the exponent may be one too large where the value was rounded up to a power of two.
    while size < Fraction(2) ** (exponent - 1):
        exponent -= 1
    step = Fraction(2) ** max(exponent - digits, least)
    return integral(value / step, mode) * step


def integral(value: Fraction | float, mode: int) -> int:
    """The integer next to a value in a rounding mode."""
    if mode != NEAREST_AWAY:
        return int(_ROUNDERS[mode](value))
    below = math.floor(abs(Fraction(value)) + Fraction(1, 2))
    return below if value >= 0 else -below


_ROUNDERS: dict[int, Any] = {NEAREST_EVEN: round, UP: math.ceil, DOWN: math.floor, TOWARD_ZERO: math.trunc}
