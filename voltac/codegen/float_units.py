"""Float32 arithmetic on bit patterns: one number or sixteen at once, IEEE (``ideal``) or as NaplesPU's unit does it (``rtl``).

A number is its bits as a Python int; lanes are a numpy array of ``uint32``. The
``rtl`` forms follow reference section 7: a result that IEEE arithmetic finds to be
an ordinary number is taken from there (the statement of accuracy allows it), all
others are made by the unit's own rules, which know no infinities, no NaN and no
subnormals but count on with the exponent's eight bits.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.records import record

if TYPE_CHECKING:
    import numpy.typing as npt

    Lanes = npt.NDArray[np.uint32]
    Flags = npt.NDArray[np.bool_]
    Scalar2 = Callable[[int, int], int]
    Lanes2 = Callable[[Lanes, Lanes], Lanes]

SIGN = 0x80000000
MAGNITUDE = 0x7FFFFFFF
INFINITY = 0x7F800000
QUIET_NAN = 0x7FC00000
UNIT_NAN = 0x7F800001
"""What the divider gives for 0/0 and the like."""
ZERO_OF_OPPOSITE_SIGNS = 0x00C00000
"""What the adder gives for 0 + -0."""

_FLOAT, _WORD = Struct("<f"), Struct("<I")
_pack_float, _unpack_float = _FLOAT.pack, _FLOAT.unpack
_pack_word, _unpack_word = _WORD.pack, _WORD.unpack
_EVERY_SIGN = np.full(16, SIGN, np.uint32)
_EXPONENT_STEP = np.full(16, 0x00800000, np.uint32)
_UPPER_EXPONENT = np.full(16, 0x7F000000, np.uint32)
_ORDINARY_BYTES = bytes(byte for byte in range(256) if byte & 0x7F not in (0, 0x7F))
"""The highest bytes of numbers whose exponent is neither among the two smallest nor among the two largest."""


def number(bits: int) -> float:
    value: float = _unpack_float(_pack_word(bits))[0]
    return value


def bits(value: float) -> int:
    """The nearest float32, ties to even. Doubles hold sums, products and quotients of floats well enough to round twice."""
    try:
        found: int = _unpack_word(_pack_float(value))[0]
    except OverflowError:
        return INFINITY if value > 0 else INFINITY | SIGN
    return found if value == value else QUIET_NAN


# --- IEEE ---


def add(a: int, b: int) -> int:
    return bits(_unpack_float(_pack_word(a))[0] + _unpack_float(_pack_word(b))[0])


def subtract(a: int, b: int) -> int:
    return bits(_unpack_float(_pack_word(a))[0] - _unpack_float(_pack_word(b))[0])


def multiply(a: int, b: int) -> int:
    return bits(_unpack_float(_pack_word(a))[0] * _unpack_float(_pack_word(b))[0])


def divide(a: int, b: int) -> int:
    x, y = number(a), number(b)
    if y:
        return bits(x / y)
    return QUIET_NAN if x != x or not x else INFINITY | (a ^ b) & SIGN


def add_lanes(a: Lanes, b: Lanes) -> Lanes:
    return (a.view(np.float32) + b.view(np.float32)).view(np.uint32)


def subtract_lanes(a: Lanes, b: Lanes) -> Lanes:
    return (a.view(np.float32) - b.view(np.float32)).view(np.uint32)


def multiply_lanes(a: Lanes, b: Lanes) -> Lanes:
    return (a.view(np.float32) * b.view(np.float32)).view(np.uint32)


def divide_lanes(a: Lanes, b: Lanes) -> Lanes:
    return (a.view(np.float32) / b.view(np.float32)).view(np.uint32)


# --- as built ---


def _ordinary(result: int) -> bool:
    return 0x00800000 <= result & MAGNITUDE < INFINITY


def _taken_apart(a: int) -> tuple[int, int]:
    """Significand with its sign and exponent; every exponent is that of an ordinary number."""
    if not a & MAGNITUDE:
        return 0, 0
    significand = a & 0x7FFFFF | 0x800000
    return (-significand if a & SIGN else significand), a >> 23 & 0xFF


def _put_together(significand: int, exponent: int) -> int:
    """``significand * 2**(exponent - 150)`` rounded to 24 bits; the exponent keeps its low eight bits."""
    if not significand:
        return 0
    sign, magnitude = (SIGN, -significand) if significand < 0 else (0, significand)
    excess = magnitude.bit_length() - 24
    if excess > 0:
        half, rest = 1 << excess - 1, magnitude & (1 << excess) - 1
        magnitude >>= excess
        if rest > half or (rest == half and magnitude & 1):
            magnitude += 1
            if magnitude >> 24:
                magnitude >>= 1
                excess += 1
    else:
        magnitude <<= -excess
    return sign | (exponent + excess & 0xFF) << 23 | magnitude & 0x7FFFFF


def unit_add(a: int, b: int) -> int:
    result = add(a, b)
    return result if _ordinary(result) else _own_sum(a, b)


def _own_sum(a: int, b: int) -> int:
    """By the unit's own rules."""
    if not (a | b) & MAGNITUDE:
        return ZERO_OF_OPPOSITE_SIGNS if (a | b) & SIGN else 0
    (x, low), (y, high) = sorted((_taken_apart(a), _taken_apart(b)), key=lambda parts: parts[1])
    return _put_together(x + (y << high - low), low)


def unit_subtract(a: int, b: int) -> int:
    return unit_add(a, b ^ SIGN)


def unit_multiply(a: int, b: int) -> int:
    result = multiply(a, b)
    return result if _ordinary(result) else _own_product(a, b)


def _own_product(a: int, b: int) -> int:
    (x, one), (y, other) = _taken_apart(a), _taken_apart(b)
    return _put_together(x * y, one + other - 150)


def _flushed(a: int) -> int:
    return a if a & INFINITY else a & SIGN


def unit_divide(a: int, b: int) -> int:
    result = divide(_flushed(a), _flushed(b))
    return UNIT_NAN if result & MAGNITUDE > INFINITY else _flushed(result)


def _lanes_like(plain: Lanes2, own: Scalar2, zero: Callable[[Lanes, Lanes, Lanes], Flags]) -> Lanes2:
    """The unit's operation on lanes: IEEE arithmetic, and ``own`` for the lanes where that is not ordinary.

    ``zero`` finds the lanes, in the operands and the result of IEEE arithmetic, where zero is right: they are many.
    """

    def operate(a: Lanes, b: Lanes) -> Lanes:
        result = plain(a, b)
        # The bytes with seven bits of the exponent, without those that no special number has: mostly there is nothing left.
        if not result.tobytes()[3::4].translate(None, _ORDINARY_BYTES):
            return result
        # Zero where the exponent's field is 0 or 255.
        ordinary = result + _EXPONENT_STEP & _UPPER_EXPONENT
        if np.count_nonzero(ordinary) == len(result):
            return result
        zeros = zero(a, b, result)
        result[zeros] = 0
        for lane in np.flatnonzero((ordinary == 0) & ~zeros):
            result[lane] = own(a.item(lane), b.item(lane))
        return result

    return operate


def _sum_is_zero(a: Lanes, b: Lanes, result: Lanes) -> Flags:
    """The difference of equal numbers; a sum of zeros is not always zero."""
    flags: Flags = (result == 0) & (a & MAGNITUDE != 0)
    return flags


def _product_is_zero(a: Lanes, b: Lanes, result: Lanes) -> Flags:
    flags: Flags = (a & MAGNITUDE == 0) | (b & MAGNITUDE == 0)
    return flags


unit_add_lanes = _lanes_like(add_lanes, _own_sum, _sum_is_zero)
unit_subtract_lanes = _lanes_like(subtract_lanes, lambda a, b: _own_sum(a, b ^ SIGN), _sum_is_zero)
unit_multiply_lanes = _lanes_like(multiply_lanes, _own_product, _product_is_zero)


def _flushed_lanes(a: Lanes) -> Lanes:
    return np.where(a & INFINITY, a, a & _EVERY_SIGN)


def unit_divide_lanes(a: Lanes, b: Lanes) -> Lanes:
    result = divide_lanes(_flushed_lanes(a), _flushed_lanes(b))
    return _flushed_lanes(np.where(result & MAGNITUDE > INFINITY, np.uint32(UNIT_NAN), result))


# --- comparisons ---


@record
class Comparison:
    """The forms of one comparison. A scalar result is 0 or 0xFFFF, one of lanes an array of truth values.

    The unit compares sign, exponent and fraction as they stand, without inverting for negative numbers.
    """

    ideal: Scalar2
    ideal_lanes: Callable[[Lanes, Lanes], Flags]
    rtl: Scalar2
    rtl_lanes: Callable[[Lanes, Lanes], Flags]


def comparison(compare: Callable[[Any, Any], Any]) -> Comparison:
    def ideal(a: int, b: int) -> int:
        return 0xFFFF if compare(number(a), number(b)) else 0

    def ideal_lanes(a: Lanes, b: Lanes) -> Flags:
        return compare(a.view(np.float32), b.view(np.float32))  # type: ignore[no-any-return]

    def rtl(a: int, b: int) -> int:
        return 0xFFFF if compare(a ^ SIGN, b ^ SIGN) else 0

    def rtl_lanes(a: Lanes, b: Lanes) -> Flags:
        return compare(a ^ _EVERY_SIGN, b ^ _EVERY_SIGN)  # type: ignore[no-any-return]

    return Comparison(ideal, ideal_lanes, rtl, rtl_lanes)


# --- conversions ---

_TOO_LARGE = 0x7FFFFFC0
"""From here on a positive integer rounds up to 2**31 as a float."""
_HALF_OF_IT = 0x4E800000


def of_signed(a: int) -> int:
    return bits(float(a - ((a & SIGN) << 1)))


def of_signed_lanes(a: Lanes) -> Lanes:
    return a.view(np.int32).astype(np.float32).view(np.uint32)


def unit_of_signed(a: int) -> int:
    return _HALF_OF_IT if _TOO_LARGE <= a < SIGN else of_signed(a)


def unit_of_signed_lanes(a: Lanes) -> Lanes:
    return np.where((a >= _TOO_LARGE) & (a < SIGN), np.uint32(_HALF_OF_IT), of_signed_lanes(a))


def to_signed(a: int) -> int:
    """Toward zero; the low 32 bits of what is out of range, 0x7FFFFFFF for infinities and NaN."""
    if a & INFINITY == INFINITY:
        return MAGNITUDE
    return int(number(a)) & 0xFFFFFFFF


def to_signed_lanes(a: Lanes) -> Lanes:
    value = a.view(np.float32)
    if (a & MAGNITUDE).max() < 0x4F000000:
        return value.astype(np.int32).view(np.uint32)
    special = a & INFINITY == INFINITY
    whole = np.fmod(np.trunc(np.where(special, np.float32(0), value).astype(np.float64)), 2.0**32)
    return np.where(special, np.uint32(MAGNITUDE), whole.astype(np.int64).astype(np.uint32))
