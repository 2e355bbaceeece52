"""Square roots of floats, rounded to nearest, by the core's division and by comparing squares."""

from __future__ import annotations

from voltac.codegen.legalize.floats import INFINITY
from voltac.codegen.legalize.function import Legalizer
from voltac.codegen.legalize.writer import constant
from voltac.targets.naplespu.legalize.truncation import by_the_core


def square_root(f: Legalizer, vector: bool, value: str) -> str:
    """Heron's steps on the number scaled to 1 ... 4, then the last bits by comparing squares; rounded to nearest."""
    w = f.write
    bits = w.bits_of(value, vector)
    zeros = w.count_zeros(bits, False, vector)
    tiny = w.compare("ult", bits, 0x800000, vector)
    normal = w.op("or", w.op("and", bits, 0x7FFFFF, vector), 0x800000, vector)
    moved = w.op("shl", bits, w.op("sub", zeros, 8, vector), vector)
    mantissa = w.select(tiny, moved, normal, "i32", vector)
    lowered = w.op("sub", constant(9, vector), zeros, vector)
    exponent = w.select(tiny, lowered, w.op("lshr", bits, 23, vector), "i32", vector)
    # Twice the mantissa where that leaves an even power of two.
    is_even = w.op("xor", w.op("and", exponent, 1, vector), 1, vector)
    scaled = w.op("shl", mantissa, is_even, vector)
    as_float = w.bits_of(w.converted(scaled, vector), vector)
    number_bits = w.op("sub", as_float, 23 << 23, vector)
    number = w.float_of(number_bits, vector)
    root = w.float_of(w.op("add", w.op("lshr", number_bits, 1, vector), 0x1FBD1DF5, vector), vector)
    half = w.float_of(constant(0x3F000000, vector), vector)
    for _ in range(3):
        ratio = w.float_op("fdiv", number, root, vector)
        root = w.float_op("fmul", half, w.float_op("fadd", root, ratio, vector), vector)
    large = w.float_of(w.op("add", w.bits_of(root, vector), 23 << 23, vector), vector)
    found = by_the_core(f, vector, large)
    square = w.op("shl", scaled, 23, vector)
    for _ in range(2):
        rest = w.op("sub", square, w.op("mul", found, found, vector), vector)
        below = w.compare("sgt", rest, found, vector)
        above = w.compare("sle", rest, w.op("sub", constant(0, vector), found, vector), vector)
        found = w.op("add", found, w.to_int(below, vector), vector)
        found = w.op("sub", found, w.to_int(above, vector), vector)
    power = w.op("ashr", w.op("sub", w.op("sub", exponent, 150 + 23, vector), is_even, vector), 1, vector)
    result = w.op("add", found, w.op("shl", w.op("add", power, 23 + 127 - 1, vector), 23, vector), vector)
    special = w.compare("uge", w.op("sub", bits, 1, vector), INFINITY - 1, vector)
    is_zero = w.compare("eq", w.op("shl", bits, 1, vector), 0, vector)
    is_infinite = w.compare("eq", bits, INFINITY, vector)
    itself = w.bit_op("or", is_zero, is_infinite, vector)
    other = w.select(itself, bits, constant(0x7FC00000, vector), "i32", vector)
    return w.float_of(w.select(special, other, result, "i32", vector), vector)
