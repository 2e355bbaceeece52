"""LLVM's intrinsics of floats that work lane by lane -> legal operations on their bits: rows as in ``elementwise.py``.

%m = call float @llvm.fabs.f32(float %a)    ->    and (bits of %a), 0x7fffffff

For machines that lack the instructions; how they take a square root they say themselves.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.legalize import floats
from voltac.codegen.legalize.function import LaneFunction, Legalizer, Words
from voltac.codegen.legalize.halves import from_half, to_half
from voltac.codegen.legalize.routines import call_routine
from voltac.codegen.legalize.shapes import Shape


def on_float(compute: Callable[..., str]) -> LaneFunction:
    """A function of floats, for halves too."""

    def convert(f: Legalizer, vector: bool, shape: Shape, *operands: Words) -> Words:
        if shape.element == "half":
            values = [from_half(f, vector, words[0]) for words in operands]
            return [to_half(f, vector, compute(f, vector, *values))]
        return [compute(f, vector, *(words[0] for words in operands))]

    return convert


def _sign_bit(shape: Shape) -> int:
    return 0x8000 if shape.element == "half" else 0x80000000


def _float_absolute(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    if shape.element == "half":
        return [w.op("and", a[0], 0x7FFF, vector)]
    return [w.float_of(floats.magnitude(f, vector, w.bits_of(a[0], vector)), vector)]


def _copy_sign(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
    w = f.write
    sign = _sign_bit(shape)
    half = shape.element == "half"
    x, y = (words[0] if half else w.bits_of(words[0], vector) for words in (a, b))
    made = w.op("or", w.op("and", x, sign - 1, vector), w.op("and", y, sign, vector), vector)
    return [made if half else w.float_of(made, vector)]


def _fused(f: Legalizer, vector: bool, a: str, b: str, c: str) -> str:
    return call_routine(f, "fused", vector, [a, b, c])[0]


def _product_sum(f: Legalizer, vector: bool, a: str, b: str, c: str) -> str:
    return f.write.float_op("fadd", f.write.float_op("fmul", a, b, vector), c, vector)


def _rounding(way: str) -> LaneFunction:
    return on_float(lambda f, vector, a: floats.rounded(f, vector, way, a))


def _extreme(least: bool, number_wins: bool) -> LaneFunction:
    return on_float(lambda f, vector, a, b: floats.least_or_greatest(f, vector, a, b, least, number_wins))


FLOAT_FUNCTIONS: dict[str, LaneFunction] = {
    "fabs": _float_absolute,
    "copysign": _copy_sign,
    "fma": on_float(_fused),
    "fmuladd": on_float(_product_sum),
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "trunc": _rounding("trunc"),
    "round": _rounding("round"),
    "roundeven": _rounding("roundeven"),
    "rint": _rounding("roundeven"),
    "nearbyint": _rounding("roundeven"),
    "minnum": _extreme(True, True),
    "maxnum": _extreme(False, True),
    "minimumnum": _extreme(True, True),
    "maximumnum": _extreme(False, True),
    "minimum": _extreme(True, False),
    "maximum": _extreme(False, False),
    "canonicalize": lambda f, vector, shape, a: a,
}
