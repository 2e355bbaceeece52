"""Float32 arithmetic on bit patterns: one number or sixteen at once, IEEE (``ideal``) or as NaplesPU's unit does it (``rtl``).

A number is its bits as a Python int; lanes are a numpy array: of ``float32`` where
they are floats, of ``int32`` where they are integers. The ``rtl`` forms follow
section 7 of the NaplesPU page: a result that IEEE arithmetic finds to be an ordinary number is
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

_FLOAT, _WORD = Struct("<f"), Struct("<I")
_pack_float, _unpack_float = _FLOAT.pack, _FLOAT.unpack
_pack_word, _unpack_word = _WORD.pack, _WORD.unpack
_LANES = 16
"""Of a vector register, as in ``meanings.py``."""
_EVERY_SIGN = np.full(_LANES, SIGN, np.uint32)
_SUSPECT = bytes(byte & 0x7F in (0, 0x7F) for byte in range(256))
"""Of the highest byte of a number: whether its exponent may be among the two smallest or the two largest."""
_NONE = bytes(_LANES)
_SUSPECT_OF_NONE = bytes(3 * _LANES)
_ZEROS = bytes(4 * _LANES)


def number(bits: int) -> float:
    """The number that these 32 bits are."""
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
    """IEEE's sum; numbers are given and returned as their bits, here and below."""
    return bits(_unpack_float(_pack_word(a))[0] + _unpack_float(_pack_word(b))[0])


def subtract(a: int, b: int) -> int:
    """IEEE's difference."""
    return bits(_unpack_float(_pack_word(a))[0] - _unpack_float(_pack_word(b))[0])


def multiply(a: int, b: int) -> int:
    """IEEE's product."""
    return bits(_unpack_float(_pack_word(a))[0] * _unpack_float(_pack_word(b))[0])


def divide(a: int, b: int) -> int:
    """IEEE's quotient, by zero too."""
    x, y = number(a), number(b)
    if y:
        return bits(x / y)
    return QUIET_NAN if x != x or not x else INFINITY | (a ^ b) & SIGN


# --- as built ---


def _ordinary(result: int) -> bool:
    return 0x00800000 <= result & MAGNITUDE < INFINITY


_LOST_DISTANCE, _FARTHEST = 23, 35
"""The smaller operand of a sum is lost where the exponents are just so far apart (shifts by exactly 16 give nothing), or
farther than that."""


def unit_add(a: int, b: int) -> int:
    """The sum of the unit as built: IEEE's where that is ordinary, no operand is lost and at most one bit cancels."""
    result = add(a, b)
    first, second = a >> 23 & 0xFF, b >> 23 & 0xFF
    most = max(first, second)
    if abs(first - second) == _LOST_DISTANCE or most - (result >> 23 & 0xFF) >= 2 or not _ordinary(result):
        return own_sum(a, b)
    return own_sum(a, b) if most <= _FARTHEST and not (first and second) else result


def own_sum(a: int, b: int) -> int:
    """By the unit's own rules, to the bit: the larger operand's significand with seven bits more, and as many of the smaller
    one's, cut off; rounded where the larger one's last bit is, whatever carries or cancels, and then cut off to 24 bits."""
    if a & MAGNITUDE < b & MAGNITUDE:
        a, b = b, a
    exponent = a >> 23 & 0xFF
    sign, total = (a & SIGN, (a & 0x7FFFFF | 0x800000) << 7) if a & MAGNITUDE else (0, 0)
    distance = exponent - (b >> 23 & 0xFF)
    if distance != _LOST_DISTANCE and distance <= _FARTHEST:
        other = (b & 0x7FFFFF | 0x800000) << 7 >> distance
        total = total + other if sign == b & SIGN else total - other & 0xFFFFFFFF
    total += total & 0x40
    if total < 0xF:
        return 0
    excess = total.bit_length() - 24
    if excess < -15:
        # That is all of a difference in the last bit.
        return sign | total << 16 & 0x7FFFFF
    significand = total >> excess if excess >= 0 else total << -excess
    return sign | (exponent - 7 + excess & 0xFF) << 23 | significand & 0x7FFFFF


def unit_subtract(a: int, b: int) -> int:
    """The difference of the unit as built, which adds the opposite."""
    return unit_add(a, b ^ SIGN)


def unit_multiply(a: int, b: int) -> int:
    """The product of the unit as built: IEEE's where all three are ordinary numbers."""
    result = multiply(a, b)
    return result if _ordinary(result) and a & INFINITY and b & INFINITY else own_product(a, b)


def own_product(a: int, b: int) -> int:
    """By the unit's own rules, to the bit: of a product below 2 the last bit is what is rounded, so that it counts twice."""
    if not (a & MAGNITUDE and b & MAGNITUDE):
        return 0
    product = (a & 0x7FFFFF | 0x800000) * (b & 0x7FFFFF | 0x800000)
    product += product & 0x800000
    exponent = (a >> 23 & 0xFF) + (b >> 23 & 0xFF) - 127
    excess = 23
    if product >> 47:
        excess, exponent = 24, exponent + 1
    return (a ^ b) & SIGN | (exponent & 0xFF) << 23 | product >> excess & 0x7FFFFF


def _flushed(a: int) -> int:
    return a if a & INFINITY else a & SIGN


def unit_divide(a: int, b: int) -> int:
    """The quotient of the unit as built: subnormal numbers are zero, before and behind."""
    result = divide(_flushed(a), _flushed(b))
    return UNIT_NAN if result & MAGNITUDE > INFINITY else _flushed(result)


def unit_add_lanes(a: Floats, b: Floats) -> Floats:
    """:func:`unit_add` in each of sixteen lanes; lanes that may not be IEEE's are done one by one, here and below."""
    return _sum_of_lanes(a + b, a.tobytes(), b.tobytes())


def unit_subtract_lanes(a: Floats, b: Floats) -> Floats:
    """:func:`unit_subtract` in each lane."""
    return _sum_of_lanes(a - b, a.tobytes(), b.tobytes(), SIGN)


# Sixteen exponents are looked at together, each in 32 bits of one large number.
_ONES = sum(1 << 32 * lane for lane in range(_LANES))
_EXPONENTS, _CARRIES, _ALL_BELOW, _TWO_BELOW = 0xFF * _ONES, 512 * _ONES, 511 * _ONES, 510 * _ONES
_AWAY = 256 * _ONES
_NEAR_ZERO = (512 + _FARTHEST) * _ONES
_LOST_UP, _LOST_DOWN = ((256 + distance) * _ONES for distance in (_LOST_DISTANCE, -_LOST_DISTANCE))
_from_bytes = int.from_bytes


def _sum_of_lanes(result: Floats, a: bytes, b: bytes, turned: int = 0) -> Floats:
    """A sum with the unit's own results where those of IEEE arithmetic are not ordinary numbers, where two bits or more
    cancel, where one operand is lost, and for numbers so small that zeros and subnormal ones, too, count as some."""
    bits = result.tobytes()
    first, second = _from_bytes(a, "little") >> 23 & _EXPONENTS, _from_bytes(b, "little") >> 23 & _EXPONENTS
    above = _TWO_BELOW - (_from_bytes(bits, "little") >> 23 & _EXPONENTS)
    apart = first + _AWAY - second
    kept = (apart ^ _LOST_UP) + _ALL_BELOW & (apart ^ _LOST_DOWN) + _ALL_BELOW
    own = (first + above | second + above | ~kept | _NEAR_ZERO - first & _NEAR_ZERO - second) & _CARRIES
    if own or bits[3::4].translate(_SUSPECT) != _NONE:
        if a == b == _ZEROS and not turned:
            return result
        words, left, right, suspect = result.view(UINT32), _words(a), _words(b), bits[3::4].translate(_SUSPECT)
        for lane in range(_LANES):
            if own >> 32 * lane & 512 or (suspect[lane] and not _ordinary(words.item(lane))):
                words[lane] = unit_add(left[lane], right[lane] ^ turned)
    return result


_words = Struct("<16I").unpack


def unit_multiply_lanes(a: Floats, b: Floats) -> Floats:
    """:func:`unit_multiply` in each lane."""
    result = a * b
    left, right = a.tobytes(), b.tobytes()
    suspects = (left + right + result.tobytes())[3::4].translate(_SUSPECT)
    if suspects != _SUSPECT_OF_NONE:
        if left == _ZEROS or right == _ZEROS:
            result.fill(0)
        else:
            words, first, second = result.view(UINT32), _words(left), _words(right)
            for lane in compress(range(_LANES), map(any, zip(suspects[:16], suspects[16:32], suspects[32:]))):
                words[lane] = unit_multiply(first[lane], second[lane])
    return result


def unit_divide_lanes(a: Floats, b: Floats) -> Floats:
    """:func:`unit_divide` in each lane."""
    result = a / b
    if (a.tobytes() + b.tobytes() + result.tobytes())[3::4].translate(_SUSPECT) == _SUSPECT_OF_NONE:
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

_ULPS_OF_TWICE = 1 << 23
"""How far apart the bits of a number and of its double are."""


def of_signed(a: int) -> int:
    """The float next to a signed integer of 32 bits."""
    return bits(float(a - ((a & SIGN) << 1)))


def unit_of_signed(a: int) -> int:
    """Where the upper 24 bits are 0xFFFFFF and round up the exponent stays, which is half the number; it moves on where they
    become 0xFFFFFF, which is twice the number."""
    size = -a & 0xFFFFFFFF if a & SIGN else a
    result = of_signed(a)
    upper = size >> max(0, size.bit_length() - 24)
    if upper == 0xFFFFFF and not result & 0x7FFFFF:
        return result - _ULPS_OF_TWICE
    if upper == 0xFFFFFE and result & 0x7FFFFF == 0x7FFFFF:
        return result + _ULPS_OF_TWICE
    return result


_MAY_ROUND = bytes(byte & 0x7F >= 0x4B for byte in range(256))
"""Of the highest byte of a number: whether it may be 2**24 or more."""


def unit_of_signed_lanes(a: Integers) -> Floats:
    """:func:`unit_of_signed` in each lane."""
    result = a.astype(np.float32)
    if result.tobytes()[3::4].translate(_MAY_ROUND) != _NONE:
        words = result.view(UINT32)
        for lane in ((words + 1 & 0x7FFFFE) == 0).nonzero()[0].tolist():
            words[lane] = unit_of_signed(a.item(lane) & 0xFFFFFFFF)
    return result


def to_signed(a: int) -> int:
    """Toward zero; the low 32 bits of what is out of range, 0x7FFFFFFF for infinities and NaN."""
    if a & INFINITY == INFINITY:
        return MAGNITUDE
    return int(number(a)) & 0xFFFFFFFF


_SHIFTED_BY_16, _TOO_LARGE = 127 + 23 - 16, 127 + 32
"""Exponents: of 128 to 256, and of 2**32."""


def unit_to_signed(a: int) -> int:
    """0 where the significand is to be shifted right by exactly 16, and 0x7FFFFFFF from 2**32 on, whatever the sign."""
    exponent = a >> 23 & 0xFF
    if exponent >= _TOO_LARGE:
        return MAGNITUDE
    return 0 if exponent == _SHIFTED_BY_16 else to_signed(a)


def unit_to_signed_lanes(a: Floats) -> Integers:
    """As the unit converts: :func:`to_signed_lanes`, but for sizes that its shifter gets wrong."""
    found = to_signed_lanes(a)
    highest = a.tobytes()[3::4]
    if highest.translate(_MAY_BE_SHIFTED_BY_16) != _NONE:
        found[a.view(UINT32) >> 23 & 0xFF == _SHIFTED_BY_16] = 0
    if highest.translate(_LARGE) != _NONE:
        found[a.view(UINT32) >> 23 & 0xFF >= _TOO_LARGE] = MAGNITUDE
    return found


_MAY_BE_SHIFTED_BY_16 = bytes(byte & 0x7F == _SHIFTED_BY_16 >> 1 for byte in range(256))
_LARGE = bytes(byte & 0x7F >= 0x4F for byte in range(256))
"""Of the highest byte of a number: whether it is 2**31 or more."""


def to_signed_lanes(a: Floats) -> Integers:
    """Cut off toward zero, modulo 2^32; what is no finite number is the greatest integer."""
    if a.tobytes()[3::4].translate(_LARGE) == _NONE:
        return a.astype(np.int32)
    special = a.view(UINT32) & INFINITY == INFINITY
    whole = np.fmod(np.trunc(np.where(special, np.float32(0), a).astype(np.float64)), 2.0**32)
    found: Integers = np.where(special, np.int32(MAGNITUDE), whole.astype(np.int64).astype(np.int32))
    return found
