"""Rounding to whole numbers -> the target's instruction; sums with a large number where it has none.

SSE2 has none, and LLVM would call the C library, for each lane. What is below 2^23, of double 2^52, and is added to that loses
its fraction, rounded to the nearest; what is not below has none.
"""

from __future__ import annotations

from voltac.lower.builtins.intrinsic_calls import Emitter, call, overload
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, floating, lanes_of, splat_constant
from voltac.sema import tree

_FIRST_WHOLE = {"float": 2.0**23, "double": 2.0**52}
"""From here on a number of the type has no fraction."""


def rounding(intrinsic: str) -> Emitter:
    """``floor``, ``ceil``, ``trunc`` or ``roundeven``."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        (x,) = arguments
        element = element_type(x.type) if lanes_of(x.type) else x.type
        if c.target.isa == "sse2" and element in _FIRST_WHOLE:
            return _by_sums(c, intrinsic, x, element)
        return call(c, f"llvm.{intrinsic}.{overload(x.type)}", x.type, x)

    return emit


def _by_sums(c: FunctionContext, intrinsic: str, x: IR, element: str) -> IR:
    build = c.build

    def number(value: float) -> IR:
        one = floating(element, value)
        return splat_constant(lanes_of(x.type), one) if lanes_of(x.type) else one

    def with_sign(size: IR) -> IR:
        return call(c, f"llvm.copysign.{overload(x.type)}", x.type, size, x)

    def one_where(test: IR) -> IR:
        return build.select(test, number(1.0), number(0.0))

    first_whole = number(_FIRST_WHOLE[element])
    size = call(c, f"llvm.fabs.{overload(x.type)}", x.type, x)
    near = build.binary("fsub", build.binary("fadd", size, first_whole), first_whole)
    if intrinsic == "trunc":
        near = build.binary("fsub", near, one_where(build.compare("fcmp ogt", near, size)))
    whole = with_sign(near)
    if intrinsic == "floor":
        whole = build.binary("fsub", whole, one_where(build.compare("fcmp ogt", whole, x)))
    if intrinsic == "ceil":
        # What is between -1 and 0 becomes -0.
        whole = with_sign(build.binary("fadd", whole, one_where(build.compare("fcmp olt", whole, x))))
    return build.select(build.compare("fcmp olt", size, first_whole), whole, x)
