"""Products of the bytes or halves of 32-bit lanes, added up in each lane -> x86's instructions for it, or plain arithmetic.

``pmaddwd`` multiplies signed 16-bit halves and adds the two products of a lane; bytes are
done as two sets of halves, the even and the odd ones. ``vpdpbusd`` takes unsigned and
signed bytes as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.lower.builtins.intrinsic_calls import call
from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR, lanes_of, poison, same_elements, zero
from voltac.sema import tree

_PRODUCTS = {128: "x86.sse2.pmadd.wd", 256: "x86.avx2.pmadd.wd", 512: "x86.avx512.pmaddw.d.512"}

Emitter = Callable[[FunctionContext, tree.Builtin, list[IR]], IR]


def dot_product(bits: int, first_signed: bool, second_signed: bool) -> Emitter:
    """Of parts of ``bits`` bits; a sum that does not fit wraps."""

    def emit(c: FunctionContext, node: tree.Builtin, arguments: list[IR]) -> IR:
        first, second = arguments
        if not c.target.is_x86:
            return _by_parts(c, bits, (first, first_signed), (second, second_signed))
        if bits == 16:
            return _pairs(c, _halves(c, first), _halves(c, second))
        if not first_signed and second_signed and c.target.has_products_of_bytes:
            return _in_registers(c, _products_of_bytes, first, second)
        even = _pairs(c, *(_bytes(c, value, signed, False) for value, signed in zip(arguments, (first_signed, second_signed))))
        odd = _pairs(c, *(_bytes(c, value, signed, True) for value, signed in zip(arguments, (first_signed, second_signed))))
        return c.build.binary("add", even, odd)

    return emit


def _by_parts(c: FunctionContext, bits: int, *sides: tuple[IR, bool]) -> IR:
    total: IR | None = None
    for top in range(bits, 33, bits):
        parts = []
        for value, signed in sides:
            raised = c.build.binary("shl", value, same_elements(value.type, 32 - top))
            parts.append(c.build.binary("ashr" if signed else "lshr", raised, same_elements(value.type, 32 - bits)))
        product = c.build.binary("mul", *parts)
        total = product if total is None else c.build.binary("add", total, product)
    assert total is not None
    return total


def _halves(c: FunctionContext, value: IR) -> IR:
    return c.build.convert("bitcast", value, f"<{2 * lanes_of(value.type)} x i16>")


def _bytes(c: FunctionContext, value: IR, signed: bool, odd: bool) -> IR:
    """Every second byte, as halves."""
    halves = _halves(c, value)
    eight = same_elements(halves.type, 8)
    if odd:
        return c.build.binary("ashr" if signed else "lshr", halves, eight)
    if signed:
        return c.build.binary("ashr", c.build.binary("shl", halves, eight), eight)
    return c.build.binary("and", halves, same_elements(halves.type, 255))


def _pairs(c: FunctionContext, first: IR, second: IR) -> IR:
    return _in_registers(c, _products_of_halves, first, second)


def _in_registers(c: FunctionContext, operation: Callable[[FunctionContext, int, IR, IR], IR], first: IR, second: IR) -> IR:
    """Apply an operation that exists for whole registers; its result has 32-bit lanes."""
    count = lanes_of(first.type)
    size = 16 if first.type.endswith("i16>") else 32
    register = 128 if c.target.isa == "avx" else c.target.vector_bits
    bits = min(max(128, count * size), register)
    step = bits // size
    if count < step:
        places = [*range(count), *[-1] * (step - count)]
        wide = operation(c, bits, *(c.build.shuffle(value, poison(value.type), places) for value in (first, second)))
        return c.build.shuffle(wide, poison(wide.type), range(count * size // 32))
    if count == step:
        return operation(c, bits, first, second)
    halves = []
    for start in (0, count // 2):
        places = list(range(start, start + count // 2))
        parts = [c.build.shuffle(value, poison(value.type), places) for value in (first, second)]
        halves.append(_in_registers(c, operation, *parts))
    return c.build.shuffle(halves[0], halves[1], range(count * size // 32))


def _products_of_halves(c: FunctionContext, bits: int, first: IR, second: IR) -> IR:
    return call(c, f"llvm.{_PRODUCTS[bits]}", f"<{bits // 32} x i32>", first, second)


def _products_of_bytes(c: FunctionContext, bits: int, first: IR, second: IR) -> IR:
    bytes_type = f"<{bits // 8} x i8>"
    sides = [c.build.convert("bitcast", value, bytes_type) for value in (first, second)]
    return call(c, f"llvm.x86.avx512.vpdpbusd.{bits}", first.type, zero(first.type), *sides)
