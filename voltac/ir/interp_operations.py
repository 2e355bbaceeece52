"""What the operations of LLVM mean for one element: rows of name -> maker of a function.

A maker gets the element's bits and the instruction's flags and returns the
function on numbers. It returns None for poison; its arguments are never poison,
the machine sees to that. Immediate undefined behaviour raises :class:`InstructionFault`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from voltac.ir.interp_values import (
    ROUND,
    InstructionFault,
    Kind,
    Value,
    float_bits,
    float_of_bits,
    from_bits,
    integer_to_float,
    to_bits,
    to_signed,
)

Flags = Collection[str]
BinaryFunction = Callable[[Value, Value], Value]
UnaryFunction = Callable[[Value], Value]


# --- integers ---------------------------------------------------------------------------------------------------


def _wrapping(exact: Callable[[int, int], int]) -> Callable[[int, Flags], BinaryFunction]:
    """add, sub, mul: modulo two to the bits; poison where nsw or nuw forbids the wrap."""

    def make(bits: int, flags: Flags) -> BinaryFunction:
        mask, low, high = (1 << bits) - 1, -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        no_signed, no_unsigned = "nsw" in flags, "nuw" in flags

        def plain(a: int, b: int) -> int:
            return exact(a, b) & mask

        def checked(a: int, b: int) -> int | None:
            if no_signed and not low <= exact(to_signed(a, bits), to_signed(b, bits)) <= high:
                return None
            result = exact(a, b)
            return None if no_unsigned and not 0 <= result <= mask else result & mask

        return checked if no_signed or no_unsigned else plain

    return make


def _unsigned_division(quotient: bool) -> Callable[[int, Flags], BinaryFunction]:
    def make(bits: int, flags: Flags) -> BinaryFunction:
        exact = "exact" in flags

        def divide(a: int, b: int) -> int | None:
            if b == 0:
                raise InstructionFault("divides by zero")
            if exact and a % b:
                return None
            return a // b if quotient else a % b

        return divide

    return make


def _signed_division(quotient: bool) -> Callable[[int, Flags], BinaryFunction]:
    def make(bits: int, flags: Flags) -> BinaryFunction:
        mask, lowest, exact = (1 << bits) - 1, -(1 << (bits - 1)), "exact" in flags

        def divide(a: int, b: int) -> int | None:
            x, y = to_signed(a, bits), to_signed(b, bits)
            if y == 0:
                raise InstructionFault("divides by zero")
            if y == -1 and x == lowest:
                raise InstructionFault("divides the smallest integer by -1")
            whole = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            if exact and whole * y != x:
                return None
            return (whole if quotient else x - whole * y) & mask

        return divide

    return make


def _shift_left(bits: int, flags: Flags) -> BinaryFunction:
    mask = (1 << bits) - 1
    no_signed, no_unsigned = "nsw" in flags, "nuw" in flags

    def shift(a: int, b: int) -> int | None:
        if b >= bits:
            return None
        result = (a << b) & mask
        if no_unsigned and a << b != result:
            return None
        return None if no_signed and to_signed(a, bits) << b != to_signed(result, bits) else result

    return shift


def _shift_right(signed: bool) -> Callable[[int, Flags], BinaryFunction]:
    def make(bits: int, flags: Flags) -> BinaryFunction:
        mask, exact = (1 << bits) - 1, "exact" in flags

        def shift(a: int, b: int) -> int | None:
            if b >= bits or (exact and a & ((1 << b) - 1)):
                return None
            return (to_signed(a, bits) >> b) & mask if signed else a >> b

        return shift

    return make


def _or(bits: int, flags: Flags) -> BinaryFunction:
    if "disjoint" in flags:
        return lambda a, b: None if a & b else a | b
    return lambda a, b: a | b


# --- floating point ---------------------------------------------------------------------------------------------


def _finite(function: Callable[..., float], bits: int, flags: Flags) -> Callable[..., Value]:
    """Round the result; with nnan or ninf make NaN or infinity among operands and result poison."""
    round_, allowed = ROUND[bits], finite_only(flags)
    if allowed is None:
        return lambda *operands: round_(function(*operands))

    def checked(*operands: float) -> float | None:
        result = round_(function(*operands))
        return result if all(map(allowed, (*operands, result))) else None

    return checked


def finite_only(flags: Flags) -> Callable[[Value], bool] | None:
    """Whether a number is one that nnan and ninf allow; None if they are not there."""
    no_nan, no_infinity = "nnan" in flags or "fast" in flags, "ninf" in flags or "fast" in flags
    if not (no_nan or no_infinity):
        return None
    return lambda value: not ((no_nan and value != value) or (no_infinity and math.isinf(value)))


def _floating(exact: Callable[[float, float], float]) -> Callable[[int, Flags], BinaryFunction]:
    """A double has enough bits that rounding it again to the type loses nothing (Figueroa 1995)."""
    return lambda bits, flags: _finite(exact, bits, flags)


def divide(a: float, b: float) -> float:
    """As IEEE 754: division by zero gives infinity or NaN."""
    if b == 0:
        if a == 0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def remainder(a: float, b: float) -> float:
    """``frem``: with the sign of ``a``, exact."""
    if math.isinf(a) or b == 0 or a != a or b != b:
        return math.nan
    return math.fmod(a, b)


BINARY: dict[str, Callable[[int, Flags], BinaryFunction]] = {
    "add": _wrapping(lambda a, b: a + b),
    "sub": _wrapping(lambda a, b: a - b),
    "mul": _wrapping(lambda a, b: a * b),
    "udiv": _unsigned_division(True),
    "urem": _unsigned_division(False),
    "sdiv": _signed_division(True),
    "srem": _signed_division(False),
    "shl": _shift_left,
    "lshr": _shift_right(False),
    "ashr": _shift_right(True),
    "and": lambda bits, flags: lambda a, b: a & b,
    "or": _or,
    "xor": lambda bits, flags: lambda a, b: a ^ b,
    "fadd": _floating(lambda a, b: a + b),
    "fsub": _floating(lambda a, b: a - b),
    "fmul": _floating(lambda a, b: a * b),
    "fdiv": _floating(divide),
    "frem": _floating(remainder),
}
"""Division of poison, or by it, is undefined at once: the machine checks that by :data:`DIVISIONS`."""

DIVISIONS = frozenset(("udiv", "urem", "sdiv", "srem"))


# --- comparisons ------------------------------------------------------------------------------------------------

_ORDER: dict[str, BinaryFunction] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}


def compare_integers(predicate: str, bits: int, flags: Flags) -> BinaryFunction:
    """The meaning of ``icmp`` with a predicate, on numbers from 0 up."""
    order = _ORDER[predicate.lstrip("us") if predicate not in ("eq", "ne") else predicate]
    flip = 1 << (bits - 1) if predicate[0] == "s" else 0
    same_sign = "samesign" in flags

    def compare(a: int, b: int) -> int | None:
        if same_sign and (a ^ b) >> (bits - 1):
            return None
        return int(order(a ^ flip, b ^ flip))

    return compare


def compare_floats(predicate: str, bits: int, flags: Flags) -> BinaryFunction:
    """The meaning of ``fcmp`` with a predicate."""
    match predicate:
        case "true" | "false":
            return lambda a, b: int(predicate == "true")
        case "ord":
            return lambda a, b: int(a == a and b == b)
        case "uno":
            return lambda a, b: int(a != a or b != b)
    order, unordered = _ORDER[predicate[1:]], predicate[0] == "u"
    allowed = finite_only(flags)

    def compare(a: float, b: float) -> int | None:
        if allowed is not None and not (allowed(a) and allowed(b)):
            return None
        return int(unordered) if a != a or b != b else int(order(a, b))

    return compare


# --- casts ------------------------------------------------------------------------------------------------------


def _truncate(source: Kind, target: Kind, flags: Flags) -> UnaryFunction:
    def truncate(a: int) -> int | None:
        result = a & target.mask
        if "nuw" in flags and result != a:
            return None
        if "nsw" in flags and to_signed(result, target.bits) != to_signed(a, source.bits):
            return None
        return result

    return truncate


def _zero_extend(source: Kind, target: Kind, flags: Flags) -> UnaryFunction:
    if "nneg" in flags:
        return lambda a: None if a >> (source.bits - 1) else a
    return lambda a: a


def _float_to_integer(signed: bool) -> Callable[[Kind, Kind, Flags], UnaryFunction]:
    def make(source: Kind, target: Kind, flags: Flags) -> UnaryFunction:
        low = -(1 << (target.bits - 1)) if signed else 0
        high = (1 << (target.bits - signed)) - 1

        def convert(a: float) -> int | None:
            if not math.isfinite(a) or not low <= (whole := math.trunc(a)) <= high:
                return None
            return whole & target.mask

        return convert

    return make


def _integer_to_float(signed: bool) -> Callable[[Kind, Kind, Flags], UnaryFunction]:
    def make(source: Kind, target: Kind, flags: Flags) -> UnaryFunction:
        not_negative = "nneg" in flags

        def convert(a: int) -> float | None:
            if not_negative and a >> (source.bits - 1):
                return None
            return integer_to_float(to_signed(a, source.bits) if signed else a, target.bits)

        return convert

    return make


def _same_width(source: Kind, target: Kind, flags: Flags) -> UnaryFunction:
    return lambda a: a & target.mask


CASTS: dict[str, Callable[[Kind, Kind, Flags], UnaryFunction]] = {
    "trunc": _truncate,
    "zext": _zero_extend,
    "sext": lambda source, target, flags: lambda a: to_signed(a, source.bits) & target.mask,
    "fptrunc": lambda source, target, flags: ROUND[target.bits],
    "fpext": lambda source, target, flags: lambda a: a,
    "fptosi": _float_to_integer(True),
    "fptoui": _float_to_integer(False),
    "sitofp": _integer_to_float(True),
    "uitofp": _integer_to_float(False),
    "ptrtoint": _same_width,
    "ptrtoaddr": _same_width,
    "inttoptr": _same_width,
    "addrspacecast": _same_width,
}
"""Bitcast is not here: it looks at whole values, see :func:`bitcast`."""


def bitcast(source: Kind, target: Kind) -> UnaryFunction:
    """The same bits as another type; lanes join or fall apart, the first one lowest."""
    if source.is_vector == target.is_vector and source.scalar.bits == target.scalar.bits:
        first, second = source.scalar, target.scalar
        if (first.shape == "float") == (second.shape == "float"):
            return lambda a: a
        change: UnaryFunction = (
            (lambda a: None if a is None else float_bits(a, first.bits))
            if first.shape == "float"
            else (lambda a: None if a is None else float_of_bits(a, first.bits))
        )
        return (lambda a: [change(element) for element in a]) if source.is_vector else change
    return lambda a: from_bits(target, *to_bits(source, a))


def negate(bits: int, flags: Flags) -> UnaryFunction:
    """``fneg``: the sign bit turned, of a NaN too."""
    if "nnan" in flags or "ninf" in flags or "fast" in flags:
        return _finite(lambda a: -a, bits, flags)
    return lambda a: -a if a == a else float_of_bits(float_bits(a, bits) ^ 1 << bits - 1, bits)


ATOMIC: dict[str, Callable[[int, int, int], int]] = {
    "xchg": lambda old, new, bits: new,
    "add": lambda old, new, bits: old + new,
    "sub": lambda old, new, bits: old - new,
    "and": lambda old, new, bits: old & new,
    "or": lambda old, new, bits: old | new,
    "xor": lambda old, new, bits: old ^ new,
    "nand": lambda old, new, bits: ~(old & new),
    "max": lambda old, new, bits: max(old, new, key=lambda value: to_signed(value, bits)),
    "min": lambda old, new, bits: min(old, new, key=lambda value: to_signed(value, bits)),
    "umax": lambda old, new, bits: max(old, new),
    "umin": lambda old, new, bits: min(old, new),
    "uinc_wrap": lambda old, new, bits: 0 if old >= new else old + 1,
    "udec_wrap": lambda old, new, bits: new if old == 0 or old > new else old - 1,
}
"""atomicrmw on integers; the result is taken modulo two to the bits."""

ATOMIC_FLOAT: dict[str, BinaryFunction] = {
    "xchg": lambda old, new: new,
    "fadd": lambda old, new: old + new,
    "fsub": lambda old, new: old - new,
    "fmax": lambda old, new: old if new != new or old > new else new,
    "fmin": lambda old, new: old if new != new or old < new else new,
}
