"""A row's meaning -> Python source that computes it, on numbers of 32 bits and on lanes.

A meaning is an expression over a row's operands: ``rs0 + rs1``,
``high_of_product(rs0, rs1)``. A scalar is a Python int from 0 to 2**32 - 1, lanes
are a numpy array of sixteen numbers in one of three forms of the same bits:
``bits`` (uint32), ``signed`` (int32) or ``float`` (float32). :func:`compiled` knows
which operand is which and writes the source for just this shape: scalars beside
lanes are spread, lanes are seen in the form that is wanted, scalar results are cut
to 32 bits, comparisons of lanes become truth values.

The functions that meanings call are rows: :data:`_INLINE` for scalars that are
one expression, :data:`_LANES` for lanes, :func:`namespace` for the others, with the
float arithmetic of the mode ``ideal`` or ``rtl`` (``float_units.py``).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.records import record
from voltac.targets.naplespu.simulator import float_units as units

if TYPE_CHECKING:
    import numpy.typing as npt

    Bits = npt.NDArray[np.uint32]
    Integers = npt.NDArray[np.int32]
    Flags = npt.NDArray[np.bool_]

LANES = 16
WORD = 0xFFFFFFFF
"""Lanes of a vector register, and the bits of a register."""
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


BITS, SIGNED, FLOAT = "bits", "signed", "float"
"""The forms of lanes."""
DTYPES: dict[str, tuple[str, np.dtype[Any]]] = {
    BITS: ("UINT32", units.UINT32), SIGNED: ("INT32", units.INT32), FLOAT: ("FLOAT32", units.FLOAT32),
}  # fmt: skip
"""Form -> its type, by the name it has in sources."""
_SPREAD_NUMBERS = 1 << 12
"""So many are remembered."""


class _Spread(dict[int, "npt.NDArray[Any]"]):
    """Numbers of 32 bits -> arrays with that in every lane, never to be changed."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def __missing__(self, value: int) -> npt.NDArray[Any]:
        if len(self) >= _SPREAD_NUMBERS:
            self.clear()
        found = self[value] = np.frombuffer(value.to_bytes(4, "little") * LANES, self.dtype)
        return found


SPREAD = {f"spread_{form}": _Spread(dtype) for form, (_, dtype) in DTYPES.items()}


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


def _sign_extend_lanes(a: Bits, width: int) -> Integers:
    return a.astype(np.int8 if width == 8 else np.int16).astype(np.int32)


def _leading_zeros(a: int) -> int:
    return 32 - a.bit_length()


def _leading_zeros_lanes(a: Bits) -> Bits:
    return (32 - np.frexp(a.astype(np.float64))[1]).astype(np.uint32)


def _trailing_zeros(a: int) -> int:
    return (a & -a).bit_length() - 1 if a else 32


def _trailing_zeros_lanes(a: Bits) -> Bits:
    lowest = a & (~a + np.uint32(1))
    return np.where(a == 0, np.uint32(32), np.frexp(lowest.astype(np.float64))[1].astype(np.uint32) - np.uint32(1))


def _high_of_product_lanes(a: Bits, b: Bits) -> Bits:
    return (a.astype(np.uint64) * b >> 32).astype(np.uint32)


def _high_of_signed_product_lanes(a: Integers, b: Integers) -> Integers:
    return (a.astype(np.int64) * b >> 32).astype(np.int32)


def _arithmetic_right_lanes(a: Integers, amount: Bits) -> Bits:
    return (a.astype(np.int64).view(np.uint64) >> amount).astype(np.uint32)


_INLINE = {
    "signed": "(({0} ^ 0x80000000) - 0x80000000)",
    "high_of_product": "({0} * {1} >> 32)",
    "right": "({0} >> {1})",
}
"""Functions of scalars that are one expression."""
_SCALAR: dict[str, Callable[..., Any]] = {
    "high_of_signed_product": _high_of_signed_product,
    "arithmetic_right": _arithmetic_right,
    "left": _left,
    "leading_zeros": _leading_zeros,
    "trailing_zeros": _trailing_zeros,
    "sign_extend": _sign_extend,
}
SCALAR, VECTOR, TRUTH = "scalar", "vector", "flags"


@record
class OfLanes:
    """A function of lanes: the forms it wants (``scalar``: no lanes), what it gives, and its source."""

    wants: tuple[str, ...]
    gives: str
    """A form, ``scalar`` or ``flags``."""
    source: str


_LANES = {
    "signed": OfLanes((SIGNED,), SIGNED, "{0}"),
    "right": OfLanes((BITS, BITS), BITS, "({0} >> {1})"),
    "left": OfLanes((BITS, BITS), BITS, "({0} << {1})"),
    "arithmetic_right": OfLanes((SIGNED, BITS), BITS, "arithmetic_right_lanes({0}, {1})"),
    "high_of_product": OfLanes((BITS, BITS), BITS, "high_of_product_lanes({0}, {1})"),
    "high_of_signed_product": OfLanes((SIGNED, SIGNED), SIGNED, "high_of_signed_product_lanes({0}, {1})"),
    "leading_zeros": OfLanes((BITS,), BITS, "leading_zeros_lanes({0})"),
    "trailing_zeros": OfLanes((BITS,), BITS, "trailing_zeros_lanes({0})"),
    "sign_extend": OfLanes((BITS, SCALAR), SIGNED, "sign_extend_lanes({0}, {1})"),
    "shuffled": OfLanes((BITS, BITS), BITS, "{0}[{1} & 15]"),
    "lane": OfLanes((BITS, SCALAR), SCALAR, "{0}.item({1} & 15)"),
    "bitmap": OfLanes((BITS,), SCALAR, "BITMAPS[{0}.astype(bool).tobytes()]"),
}
_RIGHT_BY_A_NUMBER = OfLanes((SIGNED, SIGNED), SIGNED, "({0} >> {1})")
"""``arithmetic_right`` by less than 32."""
_FUNCTIONS_OF_LANES = (
    _arithmetic_right_lanes, _high_of_product_lanes, _high_of_signed_product_lanes, _leading_zeros_lanes,
    _trailing_zeros_lanes, _sign_extend_lanes,
)  # fmt: skip

# name, ideal and rtl function of scalars
_FLOAT_SCALAR: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "float_add": (units.add, units.unit_add),
    "float_subtract": (units.subtract, units.unit_subtract),
    "float_multiply": (units.multiply, units.unit_multiply),
    "float_divide": (units.divide, units.unit_divide),
    "float_of_signed": (units.of_signed, units.unit_of_signed),
    "signed_of_float": (units.to_signed, units.unit_to_signed),
}
_TWO_FLOATS = (FLOAT, FLOAT)
_IDEAL_LANES = {
    "float_add": OfLanes(_TWO_FLOATS, FLOAT, "({0} + {1})"),
    "float_subtract": OfLanes(_TWO_FLOATS, FLOAT, "({0} - {1})"),
    "float_multiply": OfLanes(_TWO_FLOATS, FLOAT, "({0} * {1})"),
    "float_divide": OfLanes(_TWO_FLOATS, FLOAT, "({0} / {1})"),
    "float_of_signed": OfLanes((SIGNED,), FLOAT, "{0}.astype(FLOAT32)"),
    "signed_of_float": OfLanes((FLOAT,), SIGNED, "to_signed_lanes({0})"),
}
_RTL_LANES = {
    "float_add": OfLanes(_TWO_FLOATS, FLOAT, "unit_add_lanes({0}, {1})"),
    "float_subtract": OfLanes(_TWO_FLOATS, FLOAT, "unit_subtract_lanes({0}, {1})"),
    "float_multiply": OfLanes(_TWO_FLOATS, FLOAT, "unit_multiply_lanes({0}, {1})"),
    "float_divide": OfLanes(_TWO_FLOATS, FLOAT, "unit_divide_lanes({0}, {1})"),
    "float_of_signed": OfLanes((SIGNED,), FLOAT, "unit_of_signed_lanes({0})"),
    "signed_of_float": OfLanes((FLOAT,), SIGNED, "unit_to_signed_lanes({0})"),
}
_FLOAT_FUNCTIONS_OF_LANES = (
    units.unit_add_lanes, units.unit_subtract_lanes, units.unit_multiply_lanes, units.unit_divide_lanes,
    units.unit_of_signed_lanes, units.to_signed_lanes, units.unit_to_signed_lanes,
)  # fmt: skip
_COMPARISONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "equal": ("==", operator.eq), "not_equal": ("!=", operator.ne), "greater": (">", operator.gt),
    "greater_equal": (">=", operator.ge), "less": ("<", operator.lt), "less_equal": ("<=", operator.le),
}  # fmt: skip
for _name, (_sign, _compare) in _COMPARISONS.items():
    _FLOAT_SCALAR[f"float_{_name}"] = (units.ideal_comparison(_compare), units.unit_comparison(_compare))
    _IDEAL_LANES[f"float_{_name}"] = OfLanes(_TWO_FLOATS, TRUTH, f"({{0}} {_sign} {{1}})")
    # The unit orders floats as if they were signed integers.
    _RTL_LANES[f"float_{_name}"] = OfLanes((SIGNED, SIGNED), TRUTH, f"({{0}} {_sign} {{1}})")
_OF_LANES = {"ideal": _LANES | _IDEAL_LANES, "rtl": _LANES | _RTL_LANES}


@cache
def namespace(mode: str) -> dict[str, Any]:
    """The names that compiled meanings use."""
    if mode not in MODES:
        raise ValueError(f"there is no arithmetic {mode!r}, only {' and '.join(MODES)}")
    names: dict[str, Any] = {**_SCALAR, **SPREAD, "BITMAPS": BITMAPS, "FLAGS": FLAGS}
    names |= {name: forms[MODES.index(mode)] for name, forms in _FLOAT_SCALAR.items()}
    names |= {function.__name__.removeprefix("_"): function for function in (*_FUNCTIONS_OF_LANES, *_FLOAT_FUNCTIONS_OF_LANES)}
    return names | dict(DTYPES.values())


# --- source ---


@record
class Term:
    """Source with what it is: a ``scalar``, a ``vector`` or ``flags`` (truth values of lanes)."""

    source: str
    kind: str
    narrow: bool = True
    """Within 32 bits."""
    literal: int | None = None
    form: str = BITS
    """That of lanes; of a scalar the one in which it is spread."""
    seen: Callable[[str], str] | None = None
    """Form -> source of the lanes in it, where there is better than a view."""
    spread_as: Term | None = None
    """What of a scalar is spread, where it is not simply its source."""


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.Eq: "==", ast.NotEq: "!=", ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<=",
}  # fmt: skip
_STAY_NARROW = frozenset("&|^")


class _Writer:
    def __init__(self, operands: dict[str, Term], constant: Callable[[int, str], str], mode: str) -> None:
        self.operands = operands
        self.constant = constant
        self.of_lanes = _OF_LANES[mode]

    def term(self, node: ast.expr) -> Term:
        match node:
            case ast.Name(name):
                return self.operands[name]
            case ast.Constant(int(value)):
                return Term(str(value), SCALAR, literal=value)
            case ast.UnaryOp(ast.Invert(), inner):
                term = self.term(inner)
                if term.kind == VECTOR:
                    return Term(f"(~{self.lanes(term, BITS)})", VECTOR)
                return Term(f"(~{term.source})", term.kind, narrow=False)
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
            # Operands stand for their bits, whatever form they have just now.
            form = SIGNED if any(term.form == SIGNED and term.seen is None for term in (left, right)) else BITS
            return Term(f"({self.lanes(left, form)} {sign} {self.lanes(right, form)})", VECTOR, form=form)
        if left.literal is not None and right.literal is not None and sign == "<<":
            value = left.literal << right.literal & WORD
            return Term(str(value), SCALAR, literal=value)
        return Term(f"({left.source} {sign} {right.source})", SCALAR, sign in _STAY_NARROW and left.narrow and right.narrow)

    def call(self, name: str, arguments: list[Term]) -> Term:
        if all(argument.kind == SCALAR for argument in arguments):
            sources = [argument.source for argument in arguments]
            source = _INLINE[name].format(*sources) if name in _INLINE else f"{name}({', '.join(sources)})"
            if name == "signed":
                return Term(source, SCALAR, narrow=False, form=SIGNED, spread_as=arguments[0])
            return Term(source, SCALAR)
        function = self.of_lanes[name]
        if name == "arithmetic_right" and arguments[1].literal in range(1, 32):
            function = _RIGHT_BY_A_NUMBER
        sources = [
            argument.source if wanted == SCALAR else self.lanes(argument, wanted)
            for wanted, argument in zip(function.wants, arguments)
        ]
        source = function.source.format(*sources)
        if function.gives in (SCALAR, TRUTH):
            return Term(source, function.gives)
        return Term(source, VECTOR, form=function.gives)

    def lanes(self, term: Term, form: str) -> str:
        if term.kind == SCALAR:
            term = term.spread_as or term
            return self.constant(term.literal, form) if term.literal is not None else f"spread_{form}[{narrowed(term)}]"
        if term.seen is not None:
            return term.seen(form)
        return term.source if term.form == form else f"{term.source}.view({DTYPES[form][0]})"


def narrowed(term: Term) -> str:
    """Python source of the term, cut to 32 bits where it may have more."""
    return term.source if term.narrow else f"{term.source} & 0xFFFFFFFF"


@cache
def _parsed(meaning: str) -> ast.expr:
    return ast.parse(meaning, mode="eval").body


@cache
def first_form(meaning: str, mode: str, operand: str) -> str:
    """The form in which a meaning wants an operand's lanes, as far as its outermost function tells."""
    match _parsed(meaning):
        case ast.Call(ast.Name(name), arguments):
            for argument, form in zip(arguments, _OF_LANES[mode][name].wants):
                if isinstance(argument, ast.Name) and argument.id == operand:
                    return form
        case ast.Compare(ast.Call(ast.Name("signed"))):
            return SIGNED
    return BITS


def compiled_lanes(
    meaning: str, operands: dict[str, Term], constant: Callable[[int, str], str], mode: str, preferred: str = BITS
) -> tuple[str, str]:
    """Source of a meaning whose result is lanes, and their form: the ``preferred`` one where that costs nothing.

    ``constant`` gives a name for an array with a number in every lane, in a form.
    """
    writer = _Writer(operands, constant, mode)
    term = writer.term(_parsed(meaning))
    form = term.form if term.kind == VECTOR else preferred
    return writer.lanes(term, form), form


def compiled_scalar(meaning: str, operands: dict[str, Term], constant: Callable[[int, str], str], mode: str) -> str:
    """Source of a meaning whose result is a number. A comparison of lanes is the bitmap of its truth values."""
    term = _Writer(operands, constant, mode).term(_parsed(meaning))
    if term.kind == TRUTH:
        return f"BITMAPS[{term.source}.tobytes()]"
    return f"+{term.source}" if isinstance(_parsed(meaning), ast.Compare) else narrowed(term)
