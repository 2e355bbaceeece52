"""NaN and infinity where they are born: a result that is one, of numbers that are none."""

from __future__ import annotations

from voltac.lower.checks.failed_check import fail_in_lanes, in_lane
from voltac.lower.control_flow.failure_exits import NOT_FINITE
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, floating, integer, lanes_of, splat_constant

_INFINITY = float("inf")


def check_result(c: FunctionContext, result: IR, operands: list[IR], operation: str, varying: bool) -> None:
    """Fails if a lane that is on has NaN although no operand is, or infinity although all operands are finite.

    ``operation`` is the text for the message, with ``{0}`` and ``{1}`` for the operands. Only scalars of floating point and
    lanes of them are looked at, and operations whose operands have as many lanes as their result.
    """
    if not c.checks.nonfinite or not _is_float(result.type):
        return
    floats = [operand for operand in operands if _is_float(operand.type)]
    if not floats or any(lanes_of(operand.type) != lanes_of(result.type) for operand in floats):
        return
    odd = c.build.compare("fcmp ueq", _magnitude(c, result), _infinity(result.type))
    nan = c.build.compare("fcmp uno", result, result)
    for operand in floats:
        # A NaN has to come from no NaN, an infinity from nothing but finite numbers.
        was_nan = c.build.compare("fcmp uno", operand, operand)
        was_odd = c.build.compare("fcmp ueq", _magnitude(c, operand), _infinity(operand.type))
        old = c.build.select(nan, was_nan, was_odd)
        odd = c.build.binary("and", odd, c.build.binary("xor", old, _true(old.type)))

    def values(lane: IR | None) -> list[IR]:
        shown = [_as_double(c, in_lane(c, one, lane)) for one in (*floats[:2], result)]
        return [*shown[:-1], *[integer("i64", 0)] * (3 - len(shown)), shown[-1]]

    fail_in_lanes(c, odd, c.mask, NOT_FINITE, (operation,), values, varying)


def _true(type: str) -> IR:
    return IR(type, "splat (i1 true)" if type[0] == "<" else "true")


def _is_float(type: str) -> bool:
    return (element_type(type) if type[0] == "<" else type) in ("half", "float", "double")


def _magnitude(c: FunctionContext, value: IR) -> IR:
    lane = element_type(value.type) if value.type[0] == "<" else value.type
    bits = {"half": "f16", "float": "f32", "double": "f64"}[lane]
    name = f"llvm.fabs.v{lanes_of(value.type)}{bits}" if value.type[0] == "<" else f"llvm.fabs.{bits}"
    return c.build.value(value.type, f"call {value.type} {c.module.intrinsic(name, value.type, value.type)}({value})")


def _infinity(type: str) -> IR:
    lane = element_type(type) if type[0] == "<" else type
    constant = floating(lane, _INFINITY)
    return splat_constant(lanes_of(type), constant) if type[0] == "<" else constant


def _as_double(c: FunctionContext, value: IR) -> IR:
    """Its bits."""
    wide = value if value.type == "double" else c.build.convert("fpext", value, "double")
    return c.build.convert("bitcast", wide, "i64")
