"""Float32 arithmetic on bit patterns: one number or sixteen at once, IEEE (``ideal``) or as NaplesPU's unit does it (``rtl``).

A number is its bits as a Python int; lanes are a numpy array: of ``float32`` where
they are floats, of ``int32`` where they are integers. The ``rtl`` forms follow
reference section 7: a result that IEEE arithmetic finds to be an ordinary number is
taken from there (the statement of accuracy allows it), all others are made by the
unit's own rules, which know no infinities, no NaN and no subnormals but count on with
the exponent's eight bits.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from struct import Struct
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Bits = npt.NDArray[np.uint32]
    Integers = npt.NDArray[np.int32]
    Floats = npt.NDArray[np.float32]
    Flags = npt.NDArray[np.bool_]
    Scalar2 = Callable[[int, int], int]

UINT32, INT32, FLOAT32 = np.dtype(np.uint32), np.dtype(np.int32), np.dtype(np.float32)

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
_LANES = 16
_EVERY_SIGN = np.full(_LANES, SIGN, np.uint32)
_SUSPECT = bytes(byte & 0x7F in (0, 0x7F) for byte in range(256))
"""Of the highest byte of a number: whether its exponent may be among the two smallest or the two largest."""
_NONE = bytes(_LANES)
_ZEROS = bytes(4 * _LANES)


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
    if a ^ b == SIGN:
        return 0
    (x, low), (y, high) = _taken_apart(a), _taken_apart(b)
    if low > high:
        x, low, y, high = y, high, x, low
    return _put_together(x + (y << high - low), low)


def unit_subtract(a: int, b: int) -> int:
    return unit_add(a, b ^ SIGN)


def unit_multiply(a: int, b: int) -> int:
    result = multiply(a, b)
    return result if _ordinary(result) else _own_product(a, b)


def _own_product(a: int, b: int) -> int:
    if not a & MAGNITUDE or not b & MAGNITUDE:
        return 0
    # 47 or 48 bits.
    product = (a & 0x7FFFFF | 0x800000) * (b & 0x7FFFFF | 0x800000)
    exponent = (a >> 23 & 0xFF) + (b >> 23 & 0xFF) - 127
    excess = 23
    if product >> 47:
        excess, exponent = 24, exponent + 1
    # Half way to the nearest even number; a carry out of the significand counts the exponent up.
    product += (1 << excess - 1) - 1 + (product >> excess & 1)
    return (a ^ b) & SIGN | (product >> excess) + (exponent - 1 << 23) & MAGNITUDE


def _flushed(a: int) -> int:
    return a if a & INFINITY else a & SIGN


def unit_divide(a: int, b: int) -> int:
    result = divide(_flushed(a), _flushed(b))
    return UNIT_NAN if result & MAGNITUDE > INFINITY else _flushed(result)


def unit_add_lanes(a: Floats, b: Floats) -> Floats:
    result = a + b
    if result.tobytes()[3::4].translate(_SUSPECT) != _NONE and not a.tobytes() == b.tobytes() == _ZEROS:
        _mend(result, a.view(UINT32), b.view(UINT32), _own_sum)
    return result


def unit_subtract_lanes(a: Floats, b: Floats) -> Floats:
    result = a - b
    if result.tobytes()[3::4].translate(_SUSPECT) != _NONE:
        _mend(result, a.view(UINT32), b.view(UINT32) ^ _EVERY_SIGN, _own_sum)
    return result


def unit_multiply_lanes(a: Floats, b: Floats) -> Floats:
    result = a * b
    if result.tobytes()[3::4].translate(_SUSPECT) != _NONE:
        if a.tobytes() == _ZEROS or b.tobytes() == _ZEROS:
            result.fill(0)
        else:
            _mend(result, a.view(UINT32), b.view(UINT32), _own_product)
    return result


def _mend(result: Floats, a: Bits, b: Bits, own: Scalar2) -> None:
    """Put the unit's own results where those of IEEE arithmetic are not ordinary numbers."""
    words = result.view(UINT32)
    for lane in compress(range(_LANES), result.tobytes()[3::4].translate(_SUSPECT)):
        if not 0x00800000 <= words.item(lane) & MAGNITUDE < INFINITY:
            words[lane] = own(a.item(lane), b.item(lane))


def unit_divide_lanes(a: Floats, b: Floats) -> Floats:
    result = a / b
    if (a.tobytes() + b.tobytes() + result.tobytes())[3::4].translate(_SUSPECT) == 3 * _NONE:
        return result
    quotient = (_flushed_lanes(a) / _flushed_lanes(b)).view(UINT32)
    quotient[quotient & MAGNITUDE > INFINITY] = UNIT_NAN
    return _flushed_lanes(quotient.view(FLOAT32))


def _flushed_lanes(a: Floats) -> Floats:
    words = a.view(UINT32)
    found: Floats = np.where(words & INFINITY, words, words & _EVERY_SIGN).view(FLOAT32)
    return found


# --- comparisons ---


def ideal_comparison(compare: Callable[[Any, Any], Any]) -> Scalar2:
    """A comparison of numbers: 0 or 0xFFFF."""

    def compared(a: int, b: int) -> int:
        return 0xFFFF if compare(number(a), number(b)) else 0

    return compared


def unit_comparison(compare: Callable[[Any, Any], Any]) -> Scalar2:
    """The unit compares sign, exponent and fraction as they stand, without inverting for negative numbers.

    That is a comparison of signed integers.
    """

    def compared(a: int, b: int) -> int:
        return 0xFFFF if compare(a ^ SIGN, b ^ SIGN) else 0

    return compared


# --- conversions ---

_TOO_LARGE = 0x7FFFFFC0
"""From here on a positive integer rounds up to 2**31 as a float."""
_HALF_OF_IT = 0x4E800000


def of_signed(a: int) -> int:
    return bits(float(a - ((a & SIGN) << 1)))


def unit_of_signed(a: int) -> int:
    return _HALF_OF_IT if _TOO_LARGE <= a < SIGN else of_signed(a)


def unit_of_signed_lanes(a: Integers) -> Floats:
    result = a.astype(np.float32)
    # The highest byte of 2**31.
    if b"\x4f" in result.tobytes()[3::4]:
        result[a >= _TOO_LARGE] = 2.0**30
    return result


def to_signed(a: int) -> int:
    """Toward zero; the low 32 bits of what is out of range, 0x7FFFFFFF for infinities and NaN."""
    if a & INFINITY == INFINITY:
        return MAGNITUDE
    return int(number(a)) & 0xFFFFFFFF


_LARGE = bytes(byte & 0x7F >= 0x4F for byte in range(256))
"""Of the highest byte of a number: whether it is 2**31 or more."""


def to_signed_lanes(a: Floats) -> Integers:
    if a.tobytes()[3::4].translate(_LARGE) == _NONE:
        return a.astype(np.int32)
    special = a.view(UINT32) & INFINITY == INFINITY
    whole = np.fmod(np.trunc(np.where(special, np.float32(0), a).astype(np.float64)), 2.0**32)
    found: Integers = np.where(special, np.int32(MAGNITUDE), whole.astype(np.int64).astype(np.int32))
    return found
