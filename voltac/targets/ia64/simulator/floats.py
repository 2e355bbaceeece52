"""What the meanings of floating-point rows call: exact arithmetic on registers, rounded as a status field says (IA-64 7)."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from voltac.targets.ia64.simulator.float_formats import (
    BIAS,
    DEFAULT_NAN,
    INFINITY,
    LEADING,
    NATVAL,
    NATVAL_EXPONENT,
    SIGN,
    SIGNIFICAND,
    SPECIAL,
    is_nan,
    is_zero,
    of_significand,
    of_single,
    significand,
    to_single,
)
from voltac.targets.ia64.simulator.integers import s64

_QUIET = 1 << 62
_FAR = 200
"""Bits between two summands beyond which the lesser only decides how the sum is rounded: more than product and sum have."""
_PRECISIONS = {0: 24, 2: 53, 3: 64}
"""Of a status field's pc."""
_NEAREST, _DOWN, _UP, _ZERO = range(4)
_LEAST = {"s": -126, "d": -1022, "pair": -126}
_WIDE, _EXTENDED = -65534, -16382
"""Least normal exponents."""


class RegisterArithmetic:
    """The status register, and the operations that read it."""

    def __init__(self) -> None:
        self.fpsr = 0

    def field(self, number: int) -> tuple[int, int, int, bool]:
        """Of a status field: wide exponents, precision, rounding, whether what underflows becomes zero."""
        bits = self.fpsr >> 6 + 13 * number
        return bits >> 1 & 1, _PRECISIONS.get(bits >> 2 & 3, 64), bits >> 4 & 3, bool(bits & 1)

    def fsetc(self, number: int, keep: int, more: int) -> None:
        """Change the controls of a status field: those of field 0, and-ed and or-ed."""
        controls = self.fpsr >> 6 & 0x7F & keep | more
        place = 6 + 13 * number
        self.fpsr = self.fpsr & ~(0x7F << place) | controls << place

    def fclrf(self, number: int) -> None:
        """Clear the flags of a status field."""
        self.fpsr &= ~(0x3F << 13 + 13 * number)

    # --- rounding

    def rounded(self, precision: str, number: int, negative: int, magnitude: int, power: int) -> int:
        """``magnitude * 2^power``, not zero, to the precision of an instruction; ``pair`` is that of packed singles."""
        wide, bits, way, flushes = self.field(number)
        if precision:
            bits = 53 if precision == "d" else 24
        least = _WIDE if wide and precision != "pair" else _LEAST.get(precision, _EXTENDED)
        # The exponent of the leading bit.
        top = magnitude.bit_length() + power - 1
        cut = max(top, least) - bits + 1 - power
        if cut > 0:
            rest = magnitude & (1 << cut) - 1
            magnitude >>= cut
            half = 1 << cut - 1
            up = (
                rest > half or (rest == half and magnitude & 1)
                if way == _NEAREST
                else rest and ((way == _UP and not negative) or (way == _DOWN and negative))
            )
            magnitude += bool(up)
            power += cut
            if magnitude >> 64:
                # Rounded up to the next power of two.
                magnitude, power = magnitude >> 1, power + 1
        if not magnitude:
            return negative << 81
        top = magnitude.bit_length() + power - 1
        if flushes and top < least:
            return negative << 81
        if top > 1 - least:
            to_infinity = way == _NEAREST or (way == _UP and not negative) or (way == _DOWN and negative)
            if to_infinity:
                return negative << 81 | INFINITY
            top, magnitude = 1 - least, (1 << bits) - 1
        return negative << 81 | top + BIAS << 64 | magnitude << 64 - magnitude.bit_length()

    # --- arithmetic

    def fma(self, precision: str, number: int, a: int, b: int, c: int | None, of_product: str = "", of_sum: str = "") -> int:
        """``a * b + c`` with signs before the product and the summand; of no summand the product."""
        if c is None:
            # A zero of the product's sign changes nothing.
            c = ((a ^ b) >> 81 ^ (of_product == "-") ^ (of_sum == "-")) << 81
        ea, eb, ec = a >> 64 & SPECIAL, b >> 64 & SPECIAL, c >> 64 & SPECIAL
        if ea >= NATVAL_EXPONENT or eb >= NATVAL_EXPONENT or ec >= NATVAL_EXPONENT:
            return self._special(a, b, c, of_product, of_sum)
        negative = (a ^ b) >> 81 ^ (of_product == "-")
        other = c >> 81 ^ (of_sum == "-")
        product = (a & SIGNIFICAND) * (b & SIGNIFICAND)
        summand = c & SIGNIFICAND
        if not summand and not product:
            _, _, way, _ = self.field(number)
            return (negative & other if way != _DOWN else negative | other) << 81
        power = ea + eb - 2 * (BIAS + 63)
        if not summand:
            return self.rounded(precision, number, negative, product, power)
        of_c = ec - BIAS - 63
        if not product:
            return self.rounded(precision, number, other, summand, of_c)
        product, summand, power = _aligned(product, power, summand, of_c)
        total = (-product if negative else product) + (-summand if other else summand)
        if not total:
            _, _, way, _ = self.field(number)
            return (way == _DOWN) << 81
        return self.rounded(precision, number, int(total < 0), abs(total), power)

    def _special(self, a: int, b: int, c: int, of_product: str, of_sum: str) -> int:
        if NATVAL_EXPONENT in (a >> 64 & SPECIAL, b >> 64 & SPECIAL, c >> 64 & SPECIAL):
            return NATVAL
        for one in (b, c, a):
            if is_nan(one):
                return one | _QUIET
        infinite = [one & ~SIGN == INFINITY for one in (a, b, c)]
        if (infinite[0] and is_zero(b)) or (infinite[1] and is_zero(a)):
            return DEFAULT_NAN
        negative = (a ^ b) >> 81 ^ (of_product == "-")
        other = c >> 81 ^ (of_sum == "-")
        if infinite[0] or infinite[1]:
            return DEFAULT_NAN if infinite[2] and negative != other else negative << 81 | INFINITY
        return other << 81 | INFINITY

    def pair_fma(self, number: int, a: int, b: int, c: int | None, of_product: str = "", of_sum: str = "") -> int:
        """The same of both singles of a significand."""
        if c is None:
            return _of_both(lambda x, y, _: self.fma("pair", number, x, y, None, of_product, of_sum), a, b, b)
        return _of_both(lambda x, y, z: self.fma("pair", number, x, y, z, of_product, of_sum), a, b, c)

    def xma(self, a: int, b: int, c: int, is_high: bool, is_signed: bool) -> int:
        """``a * b + c`` of integers, its lower or upper 64 bits."""
        x, y = (s64(significand(one)) if is_signed else significand(one) for one in (a, b))
        total = x * y + significand(c)
        return of_significand(total >> 64 if is_high else total)

    # --- approximations

    def frcpa(self, number: int, a: int, b: int) -> tuple[int, int]:
        """About ``1 / b`` and 1, or ``a / b`` and 0 where that is no matter of iteration."""
        if NATVAL_EXPONENT in (a >> 64 & SPECIAL, b >> 64 & SPECIAL):
            return NATVAL, 0
        for one in (a, b):
            if is_nan(one):
                return one | _QUIET, 0
        negative = (a ^ b) & SIGN
        if b & ~SIGN == INFINITY:
            return (DEFAULT_NAN if a & ~SIGN == INFINITY else negative), 0
        if is_zero(b):
            return (DEFAULT_NAN if is_zero(a) else negative | INFINITY), 0
        if is_zero(a) or a & ~SIGN == INFINITY:
            return negative | a & ~SIGN, 0
        exponent, bits = _normal(b)
        index = bits >> 55 & 0xFF
        # The reciprocal of the middle of each of 256 pieces, with ten bits behind the point.
        entry = round(2 * 512 * 1024 / (512 + 2 * index + 1)) - 1024
        return b & SIGN | 2 * BIAS - 1 - exponent << 64 | LEADING | entry << 53, 1

    def frsqrta(self, number: int, a: int) -> tuple[int, int]:
        """About ``1 / sqrt(a)`` and 1, or ``sqrt(a)`` and 0 where that is no matter of iteration."""
        if a >> 64 & SPECIAL == NATVAL_EXPONENT:
            return NATVAL, 0
        if is_nan(a):
            return a | _QUIET, 0
        if is_zero(a) or a == INFINITY:
            return a, 0
        if a & SIGN:
            return DEFAULT_NAN, 0
        exponent, bits = _normal(a)
        index = bits >> 56 & 0x7F
        # The middle of a piece times 256, of numbers in [1, 2) or [2, 4); the root has ten bits behind the point.
        middle = (256 + 2 * index + 1) << (0 if exponent & 1 else 1)
        # 2 * 1024 / sqrt(middle / 256), rounded to the nearest.
        entry = (isqrt((4 * 2048 * 2048 * 256) // middle) + 1 >> 1) - 1024
        half = (exponent - BIAS) // 2
        return BIAS - 1 - half << 64 | LEADING | entry << 53, 1

    def fprcpa(self, number: int, a: int, b: int) -> tuple[int, int]:
        """Of both singles; 1 only if both are to be iterated."""
        return _pair_approximation(lambda x, y: self.frcpa(number, x, y), a, b)

    def fprsqrta(self, number: int, a: int) -> tuple[int, int]:
        """Of both singles."""
        return _pair_approximation(lambda x, _: self.frsqrta(number, x), a, a)

    # --- comparisons and extremes

    def fcmp(self, relation: str, number: int, a: int, b: int) -> int:
        """``eq lt le unord``, and their opposites."""
        if NATVAL_EXPONENT in (a >> 64 & SPECIAL, b >> 64 & SPECIAL):
            return 0
        unordered = is_nan(a) or is_nan(b)
        x, y = (0, 0) if unordered else (_rank(a), _rank(b))
        match relation:
            case "eq" | "neq":
                holds = not unordered and x == y
            case "lt" | "nlt":
                holds = not unordered and x < y
            case "le" | "nle":
                holds = not unordered and x <= y
            case _:
                holds = unordered
        return int(holds != (relation in ("neq", "nlt", "nle", "ord")))

    def pair_compare(self, relation: str, number: int, a: int, b: int) -> int:
        """All bits of a single where the relation holds."""
        return _bits_of_both(lambda x, y: -self.fcmp(relation, number, of_single(x), of_single(y)), a, b)

    def extreme(self, which: str, number: int, a: int, b: int) -> int:
        """The second one where neither is less, also if they are no numbers."""
        if NATVAL_EXPONENT in (a >> 64 & SPECIAL, b >> 64 & SPECIAL):
            return NATVAL
        x, y = (a & ~SIGN, b & ~SIGN) if which[0] == "a" else (a, b)
        if which.endswith("max"):
            x, y = y, x
        return a if self.fcmp("lt", number, x, y) else b

    def pair_extreme(self, which: str, number: int, a: int, b: int) -> int:
        """The same of both singles."""
        return _of_both(lambda x, y, _: self.extreme(which, number, x, y), a, b, a)

    # --- conversions

    def to_integer(self, number: int, a: int, is_signed: bool, truncates: bool, bits: int = 64) -> int:
        """A number as an integer; what is none, or too large, as the one with only the highest bit."""
        if a >> 64 & SPECIAL == NATVAL_EXPONENT:
            return NATVAL
        indefinite = of_significand(1 << bits - 1)
        if a >> 64 & SPECIAL == SPECIAL:
            return indefinite
        way = _ZERO if truncates else self.field(number)[2]
        value = _to_whole(a, way)
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        return of_significand(value) if least <= value <= most else indefinite

    def pair_to_integer(self, number: int, a: int, is_signed: bool, truncates: bool) -> int:
        """Of both singles, 32 bits each."""

        def convert(x: int, _: int) -> int:
            return significand(self.to_integer(number, of_single(x), is_signed, truncates, 32))

        return _bits_of_both(convert, a, a)


def _to_whole(a: int, way: int) -> int:
    power = (a >> 64 & SPECIAL) - BIAS - 63
    magnitude, negative = a & SIGNIFICAND, a >> 81
    if power >= 0:
        # Beyond any integer register already.
        return (-1 if negative else 1) * (magnitude << min(power, 128))
    cut = min(-power, 70)
    rest, whole = magnitude & (1 << cut) - 1, magnitude >> cut
    half = 1 << cut - 1
    if way == _NEAREST:
        whole += rest > half or (rest == half and bool(whole & 1))
    elif rest and ((way == _UP and not negative) or (way == _DOWN and negative)):
        whole += 1
    return -whole if negative else whole


def _aligned(a: int, of_a: int, b: int, of_b: int) -> tuple[int, int, int]:
    """Two magnitudes with one power of two; of one that is far below the other there stays that it is not zero."""
    top_a, top_b = a.bit_length() + of_a, b.bit_length() + of_b
    if top_a > top_b + _FAR:
        return a << _FAR, 1, of_a - _FAR
    if top_b > top_a + _FAR:
        return 1, b << _FAR, of_b - _FAR
    power = min(of_a, of_b)
    return a << of_a - power, b << of_b - power, power


def _normal(value: int) -> tuple[int, int]:
    """Exponent and significand with the leading bit set."""
    exponent, bits = value >> 64 & SPECIAL, value & SIGNIFICAND
    missing = 64 - bits.bit_length()
    return exponent - missing, bits << missing


def _rank(value: int) -> int:
    """A key that orders numbers."""
    if not value & SIGNIFICAND:
        return 0
    exponent, bits = _normal(value)
    # Above zero, also a negative exponent's.
    size = exponent + (1 << 18) << 64 | bits
    return -size if value & SIGN else size


# --- pairs


def _lanes(value: int) -> tuple[int, int]:
    """High and low half of a significand."""
    return value >> 32 & 0xFFFFFFFF, value & 0xFFFFFFFF


def _bits_of_both(function: Callable[[int, int], int], a: int, b: int) -> int:
    high, low = (function(x, y) & 0xFFFFFFFF for x, y in zip(_lanes(a), _lanes(b)))
    return of_significand(high << 32 | low)


def _of_both(function: Callable[[int, int, int], int], a: int, b: int, c: int) -> int:
    if NATVAL_EXPONENT in (a >> 64 & SPECIAL, b >> 64 & SPECIAL, c >> 64 & SPECIAL):
        return NATVAL
    values = zip(_lanes(a), _lanes(b), _lanes(c))
    high, low = (to_single(function(*(of_single(one) for one in lane))) for lane in values)
    return of_significand(high << 32 | low)


def _pair_approximation(function: Callable[[int, int], tuple[int, int]], a: int, b: int) -> tuple[int, int]:
    made = [function(of_single(x), of_single(y)) for x, y in zip(_lanes(a), _lanes(b))]
    bits = to_single(made[0][0]) << 32 | to_single(made[1][0])
    return of_significand(bits), made[0][1] & made[1][1]


# --- what needs no status


def fclass(a: int, mask: int) -> int:
    """Whether a number is of the classes of a mask: NaTVal 0x100, quiet 0x80, signalling 0x40, infinite 0x20, normal 0x10,
    unnormal 8, zero 4; and of a sign, negative 2, positive 1."""
    exponent, bits = a >> 64 & SPECIAL, a & SIGNIFICAND
    if exponent == NATVAL_EXPONENT and not bits:
        return int(bool(mask & 0x100))
    if is_nan(a):
        return int(bool(mask & (0x80 if bits & _QUIET else 0x40)))
    kind = 0x20 if exponent == SPECIAL else 4 if not bits else 0x10 if bits >> 63 else 8
    return int(bool(mask & kind) and bool(mask & (2 if a & SIGN else 1)))


def of_integer(a: int) -> int:
    """The signed integer of a significand as a number, exact."""
    if a >> 64 & SPECIAL == NATVAL_EXPONENT:
        return NATVAL
    value = s64(a & SIGNIFICAND)
    if not value:
        return 0
    magnitude = abs(value)
    length = magnitude.bit_length()
    return int(value < 0) << 81 | BIAS + length - 1 << 64 | magnitude << 64 - length


def fmerge(what: str, a: int, b: int) -> int:
    """The sign of ``a`` (``ns``: the other one; ``se``: its exponent too) with the rest of ``b``."""
    if what == "se":
        return a & ~SIGNIFICAND | b & SIGNIFICAND
    return (a & SIGN ^ (SIGN if what == "ns" else 0)) | b & ~SIGN


def fpmerge(what: str, a: int, b: int) -> int:
    """The same of both singles."""
    taken = {"s": 1 << 31, "ns": 1 << 31, "se": 0x1FF << 23}[what]
    change = 1 << 31 if what == "ns" else 0
    return _bits_of_both(lambda x, y: x & taken ^ change | y & ~taken, a, b)


def lanes(function: Callable[[int, int], tuple[int, int]], a: int, b: int) -> int:
    """High and low single from the significands of two registers."""
    high, low = function(a & SIGNIFICAND, b & SIGNIFICAND)
    return of_significand((high & 0xFFFFFFFF) << 32 | low & 0xFFFFFFFF)


def bitwise(function: Callable[[int, int], int], a: int, b: int) -> int:
    """On significands."""
    return of_significand(function(a & SIGNIFICAND, b & SIGNIFICAND))
