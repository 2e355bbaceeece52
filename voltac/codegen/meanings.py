"""A row's meaning -> Python source that computes it, on numbers of 32 bits and on lanes.

A meaning is an expression over a row's operands: ``rs0 + rs1``,
``high_of_product(rs0, rs1)``. A scalar is a Python int from 0 to 2**32 - 1, lanes
are a numpy array of sixteen ``uint32``. :func:`compiled` knows which operand is
which and writes the source for just this shape: scalars beside lanes are spread,
scalar results are cut to 32 bits, comparisons of lanes become truth values.

The functions that meanings call are rows: :data:`_INLINE` for scalars that are
one expression, :func:`namespace` for all others, with the float arithmetic of
the mode ``ideal`` or ``rtl`` (``float_units.py``).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.codegen import float_units as units
from voltac.records import record

if TYPE_CHECKING:
    import numpy.typing as npt

    Lanes = npt.NDArray[np.uint32]
    Flags = npt.NDArray[np.bool_]

LANES = 16
WORD = 0xFFFFFFFF
MODES = ("ideal", "rtl")

# --- between scalars and lanes ---


class _Bitmaps(dict[bytes, int]):
    """Sixteen truth values as the bytes of an array -> bit i tells of lane i; filled as they come."""

    def __missing__(self, flags: bytes) -> int:
        found = self[flags] = sum(1 << lane for lane, flag in enumerate(flags) if flag)
        return found


class _Flags(dict[int, "Flags"]):
    """The other way round: a mask as truth values, never to be changed."""

    def __missing__(self, bitmap: int) -> Flags:
        found = self[bitmap] = np.array([bitmap >> lane & 1 for lane in range(LANES)], bool)
        return found


BITMAPS = _Bitmaps()
FLAGS = _Flags()


def spread(value: int) -> Lanes:
    """A number in every lane (an array that cannot be changed)."""
    return np.frombuffer(value.to_bytes(4, "little") * LANES, np.uint32)


# --- functions of meanings ---


def _signed(a: int) -> int:
    return a - ((a & 0x80000000) << 1)


def _extended(a: int) -> int:
    """With its sign to 64 bits, without sign."""
    return a | 0xFFFFFFFF00000000 if a & 0x80000000 else a


def _high_of_signed_product(a: int, b: int) -> int:
    return _signed(a) * _signed(b) >> 32 & WORD


def _arithmetic_right(a: int, amount: int) -> int:
    """By 32 to 63 the sign that was extended to 64 bits comes in, above it zeros."""
    return _extended(a) >> amount & WORD


def _left(a: int, amount: int) -> int:
    return a << amount & WORD if amount < 32 else 0


def _sign_extend(a: int, width: int) -> int:
    low = a & (1 << width) - 1
    return low | WORD ^ (1 << width) - 1 if low >> width - 1 else low


def _sign_extend_lanes(a: Lanes, width: int) -> Lanes:
    return a.astype(np.int8 if width == 8 else np.int16).astype(np.int32).view(np.uint32)


def _leading_zeros(a: int) -> int:
    return 32 - a.bit_length()


def _leading_zeros_lanes(a: Lanes) -> Lanes:
    return (32 - np.frexp(a.astype(np.float64))[1]).astype(np.uint32)


def _trailing_zeros(a: int) -> int:
    return (a & -a).bit_length() - 1 if a else 32


def _trailing_zeros_lanes(a: Lanes) -> Lanes:
    lowest = a & (~a + np.uint32(1))
    return np.where(a == 0, np.uint32(32), np.frexp(lowest.astype(np.float64))[1].astype(np.uint32) - np.uint32(1))


def _high_of_product_lanes(a: Lanes, b: Lanes) -> Lanes:
    return (a.astype(np.uint64) * b >> 32).astype(np.uint32)


def _high_of_signed_product_lanes(a: Lanes, b: Lanes) -> Lanes:
    return (a.view(np.int32).astype(np.int64) * b.view(np.int32) >> 32).astype(np.uint32)


def _arithmetic_right_lanes(a: Lanes, amount: Lanes) -> Lanes:
    return (a.view(np.int32).astype(np.int64).view(np.uint64) >> amount).astype(np.uint32)


def _shuffled(a: Lanes, index: Lanes) -> Lanes:
    found: Lanes = a[index & 15]
    return found


def _bitmap(a: Lanes) -> int:
    return BITMAPS[a.astype(bool).tobytes()]


_INLINE = {
    "signed": "(({0} ^ 0x80000000) - 0x80000000)",
    "high_of_product": "({0} * {1} >> 32)",
    "right": "({0} >> {1})",
    "lane": "{0}.item({1} & 15)",
}
"""Functions of scalars (and of a lane) that are one expression."""
_INLINE_LANES = {
    "signed": "{0}.view(INT32)",
    "right": "({0} >> {1})",
    "left": "({0} << {1})",
}

_SCALAR: dict[str, Callable[..., Any]] = {
    "high_of_signed_product": _high_of_signed_product,
    "arithmetic_right": _arithmetic_right,
    "left": _left,
    "leading_zeros": _leading_zeros,
    "trailing_zeros": _trailing_zeros,
    "sign_extend": _sign_extend,
}
_LANES: dict[str, Callable[..., Any]] = {
    "high_of_product": _high_of_product_lanes,
    "high_of_signed_product": _high_of_signed_product_lanes,
    "arithmetic_right": _arithmetic_right_lanes,
    "leading_zeros": _leading_zeros_lanes,
    "trailing_zeros": _trailing_zeros_lanes,
    "sign_extend": _sign_extend_lanes,
    "shuffled": _shuffled,
    "bitmap": _bitmap,
}
# name -> ideal, ideal lanes, rtl, rtl lanes
_FLOAT: dict[str, tuple[Callable[..., Any], ...]] = {
    "float_add": (units.add, units.add_lanes, units.unit_add, units.unit_add_lanes),
    "float_subtract": (units.subtract, units.subtract_lanes, units.unit_subtract, units.unit_subtract_lanes),
    "float_multiply": (units.multiply, units.multiply_lanes, units.unit_multiply, units.unit_multiply_lanes),
    "float_divide": (units.divide, units.divide_lanes, units.unit_divide, units.unit_divide_lanes),
    "float_of_signed": (units.of_signed, units.of_signed_lanes, units.unit_of_signed, units.unit_of_signed_lanes),
    "signed_of_float": (units.to_signed, units.to_signed_lanes, units.to_signed, units.to_signed_lanes),
}
_COMPARISONS = {
    "equal": operator.eq, "not_equal": operator.ne, "greater": operator.gt,
    "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le,
}  # fmt: skip
for _name, _compare in _COMPARISONS.items():
    _forms = units.comparison(_compare)
    _FLOAT[f"float_{_name}"] = (_forms.ideal, _forms.ideal_lanes, _forms.rtl, _forms.rtl_lanes)

_GIVES_FLAGS = frozenset(f"float_{name}" for name in _COMPARISONS)
_GIVES_SCALAR = frozenset(("lane", "bitmap"))
_SECOND_IS_SCALAR = frozenset(("lane", "sign_extend"))


@cache
def namespace(mode: str) -> dict[str, Any]:
    """The names that compiled meanings use; ``name`` is the function of scalars, ``name_lanes`` that of lanes."""
    if mode not in MODES:
        raise ValueError(f"there is no arithmetic {mode!r}, only {' and '.join(MODES)}")
    names: dict[str, Any] = {**_SCALAR, **{f"{name}_lanes": function for name, function in _LANES.items()}}
    first = 2 * MODES.index(mode)
    for name, forms in _FLOAT.items():
        names[name], names[f"{name}_lanes"] = forms[first : first + 2]
    return names | {"INT32": np.int32, "spread": spread, "BITMAPS": BITMAPS, "FLAGS": FLAGS}


# --- source ---

SCALAR, VECTOR, TRUTH = "scalar", "vector", "flags"


@record
class Term:
    """Source with what it is: a ``scalar``, a ``vector`` or ``flags`` (truth values of lanes)."""

    source: str
    kind: str
    narrow: bool = True
    """Within 32 bits."""
    literal: int | None = None
    in_lanes: str = ""
    """Source of a scalar in every lane, where it is not simply spread."""


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=",
}  # fmt: skip
_STAY_NARROW = frozenset("&|^")


class _Writer:
    def __init__(self, operands: dict[str, Term], constant: Callable[[int], str]) -> None:
        self.operands = operands
        self.constant = constant

    def term(self, node: ast.expr) -> Term:
        match node:
            case ast.Name(name):
                return self.operands[name]
            case ast.Constant(int(value)):
                return Term(str(value), SCALAR, literal=value)
            case ast.UnaryOp(ast.Invert(), inner):
                term = self.term(inner)
                return Term(f"(~{term.source})", term.kind, term.kind != SCALAR)
            case ast.BinOp(left, operation, right):
                return self.binary(_OPERATORS[type(operation)], self.term(left), self.term(right))
            case ast.Compare(left, [operation], [right]):
                first, second = self.term(left), self.term(right)
                result = self.binary(_OPERATORS[type(operation)], first, second)
                return Term(result.source, TRUTH if result.kind == VECTOR else SCALAR)
            case ast.Call(ast.Name(name), arguments):
                return self.call(name, [self.term(argument) for argument in arguments])
        raise ValueError(f"a meaning cannot contain {ast.unparse(node)}")

    def binary(self, sign: str, left: Term, right: Term) -> Term:
        if VECTOR in (left.kind, right.kind):
            return Term(f"({self.lanes(left)} {sign} {self.lanes(right)})", VECTOR)
        if left.literal is not None and right.literal is not None and sign == "<<":
            value = left.literal << right.literal & WORD
            return Term(str(value), SCALAR, literal=value)
        return Term(f"({left.source} {sign} {right.source})", SCALAR, sign in _STAY_NARROW and left.narrow and right.narrow)

    def call(self, name: str, arguments: list[Term]) -> Term:
        if arguments[0].kind != VECTOR and all(argument.kind == SCALAR for argument in arguments):
            sources = [argument.source for argument in arguments]
            source = _INLINE[name].format(*sources) if name in _INLINE else f"{name}({', '.join(sources)})"
            if name == "signed":
                return Term(source, SCALAR, narrow=False, in_lanes=_INLINE_LANES[name].format(self.lanes(arguments[0])))
            return Term(source, SCALAR)
        scalar_from = 1 if name in _SECOND_IS_SCALAR else len(arguments)
        sources = [
            self.lanes(argument) if number < scalar_from else argument.source for number, argument in enumerate(arguments)
        ]
        kind = SCALAR if name in _GIVES_SCALAR else TRUTH if name in _GIVES_FLAGS else VECTOR
        template = _INLINE_LANES.get(name) or (_INLINE.get(name) if name == "lane" else None)
        return Term(template.format(*sources) if template else f"{name}_lanes({', '.join(sources)})", kind)

    def lanes(self, term: Term) -> str:
        if term.kind != SCALAR or term.in_lanes:
            return term.in_lanes or term.source
        return self.constant(term.literal) if term.literal is not None else f"spread({narrowed(term)})"


def narrowed(term: Term) -> str:
    return term.source if term.narrow else f"{term.source} & 0xFFFFFFFF"


@cache
def _parsed(meaning: str) -> ast.expr:
    return ast.parse(meaning, mode="eval").body


def compiled(meaning: str, operands: dict[str, Term], result: str, constant: Callable[[int], str]) -> str:
    """Source of a meaning whose ``result`` is a ``scalar`` or a ``vector``.

    ``constant`` gives a name for an array with a number in every lane. A comparison
    of lanes is the bitmap of its truth values.
    """
    writer = _Writer(operands, constant)
    term = writer.term(_parsed(meaning))
    if result == VECTOR:
        return writer.lanes(term)
    if term.kind == TRUTH:
        return f"BITMAPS[{term.source}.tobytes()]"
    return f"+{term.source}" if isinstance(_parsed(meaning), ast.Compare) else narrowed(term)
