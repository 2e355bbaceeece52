"""Estimates of reciprocals and of reciprocal square roots -> the target's instructions, register by register."""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.builtins.argument_types import argument_scalar
from voltac.lower.builtins.intrinsic_calls import Emitter, call, overload
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, element_type, floating, integer, lanes_of, poison, splat_constant, zero
from voltac.sema import tree


def _in_pieces(c: FunctionContext, value: IR, piece: int, operation: Callable[[IR], IR]) -> IR:
    """Apply an operation that exists for vectors of ``piece`` lanes only."""
    count = lanes_of(value.type) or 1
    if count == piece:
        return operation(value)
    if count < piece:
        if value.type[0] != "<":
            wide = c.build.insert(zero(f"<{piece} x {value.type}>"), value, integer("i64", 0))
            return c.build.extract(operation(wide), integer("i64", 0))
        wide = c.build.shuffle(value, poison(value.type), [*range(count), *[0] * (piece - count)])
        return c.build.shuffle(operation(wide), poison(wide.type), range(count))
    halves = []
    for start in (0, count // 2):
        half = c.build.shuffle(value, poison(value.type), range(start, start + count // 2))
        halves.append(_in_pieces(c, half, piece, operation))
    return c.build.shuffle(halves[0], halves[1], range(count))


def estimate(kind: str) -> Emitter:
    """``kind`` is ``rcp`` or ``rsqrt``; exact where the target has no instruction for the type."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        value = arguments[0]
        scalar = argument_scalar(node)
        if c.target.architecture == "aarch64":
            return _in_pieces(c, value, 128 // scalar.bits, lambda lanes: _neon_estimate(c, kind, lanes))
        if not c.target.is_x86 or (scalar.bits == 64 and not c.target.has_avx512):
            return _exact_reciprocal(c, kind, value)
        if c.target.has_avx512:
            bits = c.target.vector_bits if value.type[0] == "<" else 128
            piece = bits // scalar.bits
            letter = "ps" if scalar.bits == 32 else "pd"
            name = f"llvm.x86.avx512.{kind}14.{letter}.{bits}"
            ones = IR(f"i{max(8, piece)}", "-1")

            def masked(lanes: IR) -> IR:
                return call(c, name, lanes.type, lanes, zero(lanes.type), ones)

            return _in_pieces(c, value, piece, masked)
        if c.target.vector_bits == 256 and value.type[0] == "<" and c.width >= 8:
            return _in_pieces(c, value, 8, lambda lanes: call(c, f"llvm.x86.avx.{kind}.ps.256", lanes.type, lanes))
        return _in_pieces(c, value, 4, lambda lanes: call(c, f"llvm.x86.sse.{kind}.ps", lanes.type, lanes))

    return emit


def _neon_estimate(c: FunctionContext, kind: str, value: IR) -> IR:
    """Eight bits from the table and one Newton step for sixteen; the step instructions know zeros and infinities."""
    prefix, suffix = "llvm.aarch64.neon.fr", overload(value.type)
    if kind == "rcp":
        first = call(c, f"{prefix}ecpe.{suffix}", value.type, value)
        step = call(c, f"{prefix}ecps.{suffix}", value.type, value, first)
    else:
        first = call(c, f"{prefix}sqrte.{suffix}", value.type, value)
        step = call(c, f"{prefix}sqrts.{suffix}", value.type, value, c.build.binary("fmul", first, first))
    return c.build.binary("fmul", first, step)


def _exact_reciprocal(c: FunctionContext, kind: str, value: IR) -> IR:
    lane = element_type(value.type) if value.type[0] == "<" else value.type
    one = floating(lane, 1.0)
    ones = splat_constant(lanes_of(value.type), one) if value.type[0] == "<" else one
    divisor = call(c, f"llvm.sqrt.{overload(value.type)}", value.type, value) if kind == "rsqrt" else value
    return c.build.binary("fdiv", ones, divisor)
