"""The operators of the language on numpy values, each result rounded or wrapped to exactly its type.

Everything here works on numpy scalars and arrays alike, element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from voltac.sema.types import Type

from .values import Value, dtype_of


def _quotient(a: Value, b: Value) -> Value:
    """Integer division truncates toward zero: what is left after taking off the remainder divides exactly."""
    return a / b if a.dtype.kind == "f" else (a - np.fmod(a, b)) // b


BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _quotient,
    "%": np.fmod,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
"""Both sides have one dtype; it is the result's too, except that comparisons yield bool."""

UNARY: dict[str, Callable[[Value], Value]] = {
    "-": np.negative,
    "~": np.invert,
    "!": np.logical_not,
}


def binary(operator: str, a: Value, b: Value) -> Value:
    """An operator on values of one type, element by element; the result is of exactly that type, or bool."""
    if a.dtype == np.bool_ and operator in ("<<", ">>"):
        # A bool is 0 or 1, and so is the result: the low bit of the shift in a byte.
        return (BINARY[operator](a.astype(np.uint8), b.astype(np.uint8)) & np.uint8(1)) != 0
    return BINARY[operator](a, b)


def convert(value: Value, target: Type) -> Value:
    """Between any two of number, bool, enum and pointer (language 6.2)."""
    dtype = dtype_of(target)
    if dtype == np.bool_:
        return value != value.dtype.type(0)
    if value.dtype.kind == "f" and dtype.kind in "iu":
        # Toward zero; beyond the range of the target the low bits, as far as 64 bits hold the number.
        negative_or_small = value < 2.0**63
        signed = np.where(negative_or_small, value, 0).astype(np.int64)
        unsigned = np.where(negative_or_small, 0, value).astype(np.uint64)
        return np.where(negative_or_small, signed.astype(np.uint64), unsigned)[()].astype(dtype)
    return value.astype(dtype)


def fused_multiply_add(a: Value, b: Value, c: Value) -> Value:
    """``a * b + c`` rounded once."""
    a, b, c = np.broadcast_arrays(a, b, c)
    out = np.empty(a.shape, a.dtype)
    for place in np.ndindex(a.shape):
        out[place] = _fused(a[place], b[place], c[place])
    return out[()]


def _fused(a: Any, b: Any, c: Any) -> Any:
    if not (np.isfinite(a) and np.isfinite(b)):
        return a * b + c
    if not np.isfinite(c):
        return c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    return rounded(exact, a.dtype) if exact else a * b + c


def rounded(exact: Fraction, dtype: np.dtype[Any]) -> Any:
    """The number of ``dtype`` nearest to ``exact``, ties to even."""
    info = np.finfo(dtype)
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    step = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    units = round(exact / step) * step
    if abs(units) > Fraction(float(info.max)):
        return dtype.type(np.inf if units > 0 else -np.inf)
    # A number that rounds to zero keeps its sign.
    return dtype.type(float(units)) if units else np.copysign(dtype.type(0), dtype.type(1 if exact > 0 else -1))
