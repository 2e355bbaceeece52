"""Builtins that work in each lane on the lane's own values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    REALS,
    SIGNED,
    UNSAFE,
    WIDE,
    Effect,
    Lanes,
    Meaning,
    Value,
    declares,
)
from voltac.sema.types import FLOAT

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

_builtin = declares(Effect.NONE, Lanes.OWN)


@_builtin(1, "v bool", ())
def __active(gang: Gang) -> Value:
    """True in the lanes that are active here."""
    return gang.active.copy()


# --- arithmetic


@_builtin(6, "R T", ("R T",), FLOATS)
def __sqrt(gang: Gang, a: Value) -> Value:
    """Correctly rounded square root."""
    return gang.np.sqrt(a)


@_builtin(1, "R T", ("R T",), SIGNED + FLOATS)
def __abs(gang: Gang, a: Value) -> Value:
    """Absolute value; that of the smallest integer is undefined."""
    return gang.np.abs(a)


@_builtin(2, "R T", ("R T",), FLOATS)
def __floor(gang: Gang, a: Value) -> Value:
    """Largest integral value not above."""
    return gang.np.floor(a)


@_builtin(2, "R T", ("R T",), FLOATS)
def __ceil(gang: Gang, a: Value) -> Value:
    """Smallest integral value not below."""
    return gang.np.ceil(a)


@_builtin(2, "R T", ("R T",), FLOATS)
def __trunc(gang: Gang, a: Value) -> Value:
    """Integral part."""
    return gang.np.trunc(a)


@_builtin(2, "R T", ("R T",), FLOATS)
def __round(gang: Gang, a: Value) -> Value:
    """Nearest integral value, ties to even."""
    return gang.np.rint(a)


@_builtin(1, "R T", ("R T", "R T"), NUMBERS)
def __min(gang: Gang, a: Value, b: Value) -> Value:
    """``a < b ? a : b``."""
    return gang.np.where(gang.np.less(a, b), a, b)[()]


@_builtin(1, "R T", ("R T", "R T"), NUMBERS)
def __max(gang: Gang, a: Value, b: Value) -> Value:
    """``a > b ? a : b``."""
    return gang.np.where(gang.np.greater(a, b), a, b)[()]


@_builtin(2, "R T", ("R T", "R T", "R T"), FLOATS)
def __fma(gang: Gang, a: Value, b: Value, c: Value) -> Value:
    """``a * b + c``, rounded once, on every target."""
    return gang.fused_multiply_add(a, b, c)


@_builtin(2, "R T", ("R T", "R T", "R T"), FLOATS)
def __mad(gang: Gang, a: Value, b: Value, c: Value) -> Value:
    """``a * b + c``: rounded once where the target has an instruction for it, elsewhere the product and the sum."""
    return gang.fused_multiply_add(a, b, c) if gang.has_fused_products else a * b + c


@_builtin(4, "R T", ("R T",), REALS)
def __rcp_fast(gang: Gang, a: Value) -> Value:
    """1/a to about 11 bits or better."""
    return a.dtype.type(1) / a


@_builtin(4, "R T", ("R T",), REALS)
def __rsqrt_fast(gang: Gang, a: Value) -> Value:
    """1/sqrt(a) to about 11 bits or better."""
    return a.dtype.type(1) / gang.np.sqrt(a)


def _saturated(gang: Gang, a: Value, b: Value, exact: Callable[[Value, Value], Value]) -> Value:
    """An operation on exact integers, its result clamped to the range of the type."""
    np = gang.np
    info = np.iinfo(a.dtype)
    whole = exact(np.asarray(a).astype(object), np.asarray(b).astype(object))
    return np.clip(whole, int(info.min), int(info.max)).astype(a.dtype)[()]


@_builtin(2, "R T", ("R T", "R T"), INTEGERS)
def __saturating_add(gang: Gang, a: Value, b: Value) -> Value:
    """Sum clamped to the range of T."""
    return _saturated(gang, a, b, lambda one, other: one + other)


@_builtin(2, "R T", ("R T", "R T"), INTEGERS)
def __saturating_sub(gang: Gang, a: Value, b: Value) -> Value:
    """Difference clamped to the range of T."""
    return _saturated(gang, a, b, lambda one, other: one - other)


# --- parts of floats


def _split(gang: Gang, a: Value) -> tuple[Value, Value]:
    """Significand from 3/4 to 3/2 and exponent, as floats."""
    np = gang.np
    with np.errstate(all="ignore"):
        significand, exponent = np.frexp(a)
        low = significand < 0.75
        exponent = np.where(a == 0, -np.inf, np.where(np.isinf(a), a, (exponent - low).astype(a.dtype))).astype(a.dtype)
        significand = np.where(low, significand * a.dtype.type(2), significand)
        plain = (a > 0) & np.isfinite(a)
    return np.where(plain, significand, np.where(a < 0, np.nan, 1)).astype(a.dtype)[()], np.where(a != a, a, exponent)[()]


@_builtin(UNSAFE, "R T", ("R T",), (FLOAT,))
def __exponent(gang: Gang, a: Value) -> Value:
    """e of a = m 2^e with 3/4 <= m < 3/2; -inf for 0, a for inf."""
    return _split(gang, a)[1]


@_builtin(UNSAFE, "R T", ("R T",), (FLOAT,))
def __significand(gang: Gang, a: Value) -> Value:
    """That m; for a NaN or below 0 one of both is NaN."""
    return _split(gang, a)[0]


@_builtin(UNSAFE, "R T", ("R T",), (FLOAT,))
def __exponent_normal(gang: Gang, a: Value) -> Value:
    """The same for normal numbers above 0; any value for others."""
    return __exponent(gang, a)


@_builtin(UNSAFE, "R T", ("R T",), (FLOAT,))
def __significand_normal(gang: Gang, a: Value) -> Value:
    """Likewise."""
    return __significand(gang, a)


@_builtin(UNSAFE, "R T", ("R T", "R T", "R T"), (FLOAT,))
def __scale_sum(gang: Gang, a: Value, b: Value, shifted: Value) -> Value:
    """(a + b) 2^n, sum rounded too; the third argument is n + 3 * 2^22."""
    np = gang.np
    with np.errstate(all="ignore"):
        n = np.where(shifted == shifted, shifted - np.float32(12582912), 0).astype(np.int32)
        return np.ldexp(a + b, n)


@_builtin(UNSAFE, "R T", ("R T", "R T", "R T"), (FLOAT,))
def __scale_sum_normal(gang: Gang, a: Value, b: Value, shifted: Value) -> Value:
    """The same, for n from -127 to 128; 0 or small for results below the normal ones, infinity for n = 128."""
    return __scale_sum(gang, a, b, shifted)


@_builtin(1, "R T", ("R T", "R T"), FLOATS)
def __copysign(gang: Gang, a: Value, b: Value) -> Value:
    """Magnitude of a, sign of b."""
    return gang.np.copysign(a, b)


@_builtin(1, "R U(T)", ("R T",), FLOATS)
def __bits(gang: Gang, a: Value) -> Value:
    """Bit pattern."""
    return a.view(gang.result)


@_builtin(1, "R T", ("R U(T)",), FLOATS)
def __float_of_bits(gang: Gang, a: Value) -> Value:
    """Value of a bit pattern; T is found from U(T)."""
    return a.view(gang.result)


# --- tables


def _entry(gang: Gang, table: Value, index: Value, size: int) -> Value:
    return gang.memory.view(int(table), 4 * size).view(gang.np.float32)[index & (size - 1)]


@_builtin(UNSAFE, "R float", ("u const float *", "R int32"))
def __lookup(gang: Gang, table: Value, index: Value) -> Value:
    """Entry i mod 16 of a table of 16."""
    return _entry(gang, table, index, 16)


@_builtin(UNSAFE, "R double", ("u const double *", "R int64"))
def __lookup_two(gang: Gang, table: Value, index: Value) -> Value:
    """Entry i mod 2 of a table of 2."""
    return gang.memory.view(int(table), 16).view(gang.np.float64)[index & 1]


@_builtin(UNSAFE, "R float", ("u const float *", "R int32"))
def __lookup_four(gang: Gang, table: Value, index: Value) -> Value:
    """Entry i mod 4 of a table of 4."""
    return _entry(gang, table, index, 4)


@_builtin(UNSAFE, "R float", ("u const float *", "R int32"))
def __lookup_eight(gang: Gang, table: Value, index: Value) -> Value:
    """Entry i mod 8 of a table of 8."""
    return _entry(gang, table, index, 8)


# --- bits of integers


def _per_element(gang: Gang, count: Callable[[int, int], int], a: Value) -> Value:
    """A function of (unsigned number, width in bits) of every element."""
    np, bits = gang.np, a.dtype.itemsize * 8
    numbers = np.asarray(a)
    out = [count(int(number) & ((1 << bits) - 1), bits) for number in numbers.flat]
    return np.array(out, a.dtype).reshape(numbers.shape)[()]


@_builtin(4, "R T", ("R T",), WIDE)
def __population_count(gang: Gang, a: Value) -> Value:
    """Number of 1 bits."""
    return _per_element(gang, lambda number, bits: number.bit_count(), a)


@_builtin(4, "R T", ("R T",), WIDE)
def __leading_zeros(gang: Gang, a: Value) -> Value:
    """Width of T for 0."""
    return _per_element(gang, lambda number, bits: bits - number.bit_length(), a)


@_builtin(4, "R T", ("R T",), WIDE)
def __trailing_zeros(gang: Gang, a: Value) -> Value:
    """Width of T for 0."""
    return _per_element(gang, lambda number, bits: (number & -number).bit_length() - 1 if number else bits, a)


# --- products of the parts of 32 bits, added; the sum wraps


def _dot(first: str, second: str) -> Meaning:
    def dot(gang: Gang, a: Value, b: Value) -> Value:
        np = gang.np
        parts = a.dtype.itemsize // np.dtype(first).itemsize
        sides = [np.ascontiguousarray(each).view(kind).astype(np.int64) for each, kind in ((a, first), (b, second))]
        products = np.prod(sides, axis=0).reshape(-1, parts)
        return products.sum(axis=1).astype(np.uint32).view(np.int32)

    return dot


for _name, _first, _second in (
    ("__dot_signed_halves", "int16", "int16"),
    ("__dot_signed_bytes", "int8", "int8"),
    ("__dot_unsigned_bytes", "uint8", "uint8"),
    ("__dot_unsigned_signed_bytes", "uint8", "int8"),
):
    _builtin(UNSAFE, "v int32", ("v uint32", "v uint32"), name=_name)(_dot(_first, _second))
