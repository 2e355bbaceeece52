"""Arithmetic on constants: operators and conversions over :class:`tree.Constant`, as the target would compute them.

Every function returns None where the result is undefined or has no constant; the
operation then stays in the tree.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable

from voltac.sema.types import Enum, Pointer, Scalar, Type

Number = int | float | bool


def wrap(value: int, type: Scalar) -> int:
    """The low bits of ``value``, read as the integer type."""
    value &= (1 << type.bits) - 1
    if type.kind == "int" and value >> (type.bits - 1):
        value -= 1 << type.bits
    return value


def round_to(value: float, bits: int) -> float:
    """Nearest value of a floating-point format, ties to even; overflow is infinite."""
    if bits == 64:
        return value
    try:
        code = "<f" if bits == 32 else "<e"
        return float(struct.unpack(code, struct.pack(code, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def convert(value: Number, source: Type, target: Type) -> Number | None:
    """The conversion of section 6.2 of the language from one scalar or enum type to another; null pointers stay 0."""
    if isinstance(target, Enum):
        return None if isinstance(value, float) else int(value) & 0xFFFFFFFF
    if isinstance(target, Pointer):
        return 0 if value == 0 and not isinstance(value, float) else None
    if not isinstance(target, Scalar):
        return None
    if target.kind == "bool":
        return value != 0
    if target.kind == "float":
        try:
            return round_to(float(value), target.bits)
        except OverflowError:
            return None
    if isinstance(value, float):
        if not math.isfinite(value) or not -(2.0**63) <= value < 2.0**64:
            return None
        return wrap(int(value), target)
    return wrap(int(value), target)


def _divide(left: int, right: int) -> int:
    """Quotient truncated toward zero."""
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _divide_floats(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": lambda left, right: left - right * _divide(left, right),
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}

_FLOAT: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide_floats,
}

_COMPARISON: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def binary(symbol: str, left: Number, right: Number, type: Type) -> tuple[Number, bool] | None:
    """``left symbol right`` on two values of one type, and whether a signed result left its range."""
    compare = _COMPARISON.get(symbol)
    if compare is not None:
        return compare(left, right), False
    if not isinstance(type, Scalar):
        return None
    if type.kind == "float":
        compute = _FLOAT.get(symbol)
        if compute is None:
            return None
        try:
            return round_to(compute(float(left), float(right)), type.bits), False
        except OverflowError:
            return None
    if symbol in ("/", "%") and right == 0:
        return None
    if symbol in ("<<", ">>"):
        if right < 0:
            return None
        right = min(right, type.bits)  # all bits go, and no number of that many is made
    exact = _INTEGER[symbol](int(left), int(right))
    if type.kind == "bool":
        return bool(exact & 1), False
    result = wrap(exact, type)
    return result, type.kind == "int" and result != exact and symbol != "<<"


def unary(symbol: str, value: Number, type: Type) -> Number | None:
    """``-``, ``~`` or ``!`` on a constant."""
    if symbol == "!":
        return not value
    if not isinstance(type, Scalar):
        return None
    if symbol == "-":
        return -value if type.kind == "float" else wrap(-int(value), type)
    return wrap(~int(value), type)
