"""What LLVM's element-wise intrinsics mean: rows of makers like those of ``interp_operations.py``.

They get the element type of the first operand and of the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from voltac.ir.interp_operations import _finite, compare_integers
from voltac.ir.interp_values import (
    ROUND,
    Kind,
    Value,
    float_bits,
    square_root,
    to_signed,
)

ElementFunction = Callable[..., Value]
Maker = Callable[[Kind, Kind], ElementFunction]


def _choose(predicate: str) -> Maker:
    """smax and the like: the operand that compares so with the other."""

    def make(kind: Kind, result: Kind) -> ElementFunction:
        better = compare_integers(predicate, kind.bits, ())
        return lambda a, b: a if better(a, b) else b

    return make


def _absolute(kind: Kind, result: Kind) -> ElementFunction:
    def absolute(a: int, lowest_is_poison: int) -> int | None:
        signed = to_signed(a, kind.bits)
        if lowest_is_poison and signed == -(1 << (kind.bits - 1)):
            return None
        return abs(signed) & kind.mask

    return absolute


def _count_zeros(trailing: bool) -> Maker:
    def make(kind: Kind, result: Kind) -> ElementFunction:
        def count(a: int, zero_is_poison: int) -> int | None:
            if a == 0:
                return None if zero_is_poison else kind.bits
            return (a & -a).bit_length() - 1 if trailing else kind.bits - a.bit_length()

        return count

    return make


def _reverse_bytes(kind: Kind, result: Kind) -> ElementFunction:
    return lambda a: int.from_bytes(a.to_bytes(kind.bits // 8, "little"), "big")


def _reverse_bits(kind: Kind, result: Kind) -> ElementFunction:
    return lambda a: int(format(a, f"0{kind.bits}b")[::-1], 2)


def _funnel_shift(left: bool) -> Maker:
    def make(kind: Kind, result: Kind) -> ElementFunction:
        bits = kind.bits

        def shift(high: int, low: int, by: int) -> int:
            both, by = high << bits | low, by % bits
            return (both << by >> bits if left else both >> by) & kind.mask

        return shift

    return make


def _saturating(exact: Callable[[int, int], int], signed: bool) -> Maker:
    def make(kind: Kind, result: Kind) -> ElementFunction:
        bits = kind.bits
        low = -(1 << (bits - 1)) if signed else 0
        high = (1 << (bits - signed)) - 1

        def clamp(a: int, b: int) -> int:
            if signed:
                a, b = to_signed(a, bits), to_signed(b, bits)
            return max(low, min(high, exact(a, b))) & kind.mask

        return clamp

    return make


def _three_way(signed: bool) -> Maker:
    def make(kind: Kind, result: Kind) -> ElementFunction:
        flip = 1 << (kind.bits - 1) if signed else 0
        return lambda a, b: (((a ^ flip) > (b ^ flip)) - ((a ^ flip) < (b ^ flip))) & result.mask

    return make


def _rounded(function: Callable[..., float]) -> Maker:
    """A function on doubles whose result is rounded to the type."""
    return lambda kind, result: _finite(function, result.bits, ())


def _to_integral(function: Callable[[float], float]) -> Maker:
    def apply(a: float) -> float:
        return math.copysign(function(a), a) if math.isfinite(a) else a

    return lambda kind, result: apply


def _half_away(a: float) -> float:
    whole = math.trunc(a)
    return whole + math.copysign(1, a) if abs(a - whole) >= 0.5 else whole


def fused_multiply_add(bits: int) -> Callable[[float, float, float], float]:
    """Rounded once: computed as a fraction, then rounded to odd in double precision and to the type."""

    def compute(a: float, b: float, c: float) -> float:
        if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
            return a * b + c
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact == 0:
            return a * b + c
        return _round_fraction(exact, bits)

    return compute


def _round_fraction(exact: Fraction, bits: int) -> float:
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    if bits == 64 or Fraction(nearest) == exact:
        return ROUND[bits](nearest)
    # Round to odd: of the two doubles around the exact value take the one whose last bit is set.
    if float_bits(nearest, 64) & 1 == 0:
        nearest = math.nextafter(nearest, math.inf if Fraction(nearest) < exact else -math.inf)
    return ROUND[bits](nearest)


def _minimum(prefer_number: bool, smaller: bool) -> Maker:
    """minnum and maxnum take the number beside a NaN; minimum and maximum the NaN, and -0 is below 0."""

    def choose(a: float, b: float) -> float:
        if a != a or b != b:
            other = b if a != a else a
            return other if prefer_number else math.nan
        if a == b:
            negative = a if math.copysign(1, a) < 0 else b
            positive = b if negative is a else a
            return negative if smaller else positive
        return min(a, b) if smaller else max(a, b)

    return lambda kind, result: choose


def _guard(function: Callable[..., float]) -> Callable[..., float]:
    """A function of ``math`` with the results C has where Python raises."""

    def guarded(*operands: float) -> float:
        try:
            return function(*operands)
        except OverflowError:
            return math.inf
        except ValueError:
            return -math.inf if function in (math.log, math.log2, math.log10) and operands[0] == 0 else math.nan

    return guarded


def _is_class(kind: Kind, result: Kind) -> ElementFunction:
    """Bits of the test: signalling NaN, quiet NaN, -inf, -normal, -subnormal, -0, 0, subnormal, normal, inf."""
    smallest_normal = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}[kind.bits]

    def test(a: float, wanted: int) -> int:
        if a != a:
            found = 3
        else:
            negative = math.copysign(1, a) < 0
            if math.isinf(a):
                found = 1 << 2 if negative else 1 << 9
            elif a == 0:
                found = 1 << 5 if negative else 1 << 6
            elif abs(a) < smallest_normal:
                found = 1 << 4 if negative else 1 << 7
            else:
                found = 1 << 3 if negative else 1 << 8
        return int(found & wanted != 0)

    return test


def _saturating_conversion(signed: bool) -> Maker:
    def make(kind: Kind, result: Kind) -> ElementFunction:
        low = -(1 << (result.bits - 1)) if signed else 0
        high = (1 << (result.bits - signed)) - 1

        def convert(a: float) -> int:
            if a != a:
                return 0
            if math.isinf(a):
                return (high if a > 0 else low) & result.mask
            return max(low, min(high, math.trunc(a))) & result.mask

        return convert

    return make


ELEMENTWISE: dict[str, Maker] = {
    "smax": _choose("sgt"),
    "smin": _choose("slt"),
    "umax": _choose("ugt"),
    "umin": _choose("ult"),
    "abs": _absolute,
    "ctpop": lambda kind, result: lambda a: a.bit_count(),
    "ctlz": _count_zeros(False),
    "cttz": _count_zeros(True),
    "bswap": _reverse_bytes,
    "bitreverse": _reverse_bits,
    "fshl": _funnel_shift(True),
    "fshr": _funnel_shift(False),
    "sadd.sat": _saturating(lambda a, b: a + b, True),
    "ssub.sat": _saturating(lambda a, b: a - b, True),
    "uadd.sat": _saturating(lambda a, b: a + b, False),
    "usub.sat": _saturating(lambda a, b: a - b, False),
    "sshl.sat": _saturating(lambda a, b: a << b, True),
    "ushl.sat": _saturating(lambda a, b: a << b, False),
    "scmp": _three_way(True),
    "ucmp": _three_way(False),
    "fabs": lambda kind, result: abs,
    "copysign": lambda kind, result: math.copysign,
    "sqrt": _rounded(square_root),
    "floor": _to_integral(math.floor),
    "ceil": _to_integral(math.ceil),
    "trunc": _to_integral(math.trunc),
    "rint": _to_integral(round),
    "nearbyint": _to_integral(round),
    "roundeven": _to_integral(round),
    "round": _to_integral(_half_away),
    "minnum": _minimum(True, True),
    "maxnum": _minimum(True, False),
    "minimumnum": _minimum(True, True),
    "maximumnum": _minimum(True, False),
    "minimum": _minimum(False, True),
    "maximum": _minimum(False, False),
    "fma": lambda kind, result: fused_multiply_add(result.bits),
    "fmuladd": lambda kind, result: lambda a, b, c: ROUND[result.bits](ROUND[result.bits](a * b) + c),
    "canonicalize": lambda kind, result: lambda a: a,
    "is.fpclass": _is_class,
    "fptosi.sat": _saturating_conversion(True),
    "fptoui.sat": _saturating_conversion(False),
    "ldexp": _rounded(lambda a, by: _guard(math.ldexp)(a, max(-5000, min(5000, to_signed(by, 32))))),
    "powi": _rounded(lambda a, by: _guard(math.pow)(a, to_signed(by, 32))),
    "pow": _rounded(_guard(math.pow)),
    "exp": _rounded(_guard(math.exp)),
    "exp2": _rounded(_guard(math.exp2)),
    "log": _rounded(_guard(math.log)),
    "log2": _rounded(_guard(math.log2)),
    "log10": _rounded(_guard(math.log10)),
    "sin": _rounded(_guard(math.sin)),
    "cos": _rounded(_guard(math.cos)),
    "tan": _rounded(_guard(math.tan)),
    "atan2": _rounded(_guard(math.atan2)),
    "expect": lambda kind, result: lambda a, likely: a,
    "ptrmask": lambda kind, result: lambda a, mask: a & mask,
}
"""Scalar operands beside vector ones (the flags of ctlz, the exponent of powi) are the same for all elements."""


def apply_elementwise(function: ElementFunction, kinds: tuple[Kind, ...], result: Kind, arguments: list[Value]) -> Value:
    """Element by element with poison passed on; scalars beside vectors go to all elements."""
    if not result.is_vector:
        return None if None in arguments else function(*arguments)
    columns = [value if kind.is_vector else [value] * result.count for kind, value in zip(kinds, arguments)]
    return [None if None in row else function(*row) for row in zip(*columns)]
