"""Numbers of 16 bits -> floats and back, on the bits.

%f = fpext half %h to float    ->    its exponent and mantissa moved to where a float has them
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule
from voltac.codegen.legalize.integers import zero_extended
from voltac.codegen.legalize.shapes import NotLegal
from voltac.codegen.legalize.writer import constant
from voltac.ir.model import Instruction

_INFINITY, _MAGNITUDE = 0x7F800000, 0x7FFFFFFF
"""Bit patterns of float."""


def from_half(f: Legalizer, vector: bool, half: str) -> str:
    """A float with the value of the half in the low bits of a word."""
    w = f.write
    low = zero_extended(f, 16, [half], vector)[0]
    size = w.op("and", low, 0x7FFF, vector)
    sign = w.op("shl", w.op("xor", low, size, vector), 16, vector)
    normal = w.op("add", w.op("shl", size, 13, vector), 112 << 23, vector)
    special = w.op("add", normal, 112 << 23, vector)
    tiny = w.op("sub", w.bits_of(w.converted(size, vector), vector), 24 << 23, vector)
    result = w.select(w.compare("uge", size, 0x7C00, vector), special, normal, "i32", vector)
    result = w.select(w.compare("ult", size, 0x400, vector), tiny, result, "i32", vector)
    result = w.select(w.compare("eq", size, 0, vector), size, result, "i32", vector)
    return w.float_of(w.op("or", result, sign, vector), vector)


def to_half(f: Legalizer, vector: bool, value: str) -> str:
    """Rounded to nearest, ties to even."""
    w = f.write
    bits = w.bits_of(value, vector)
    size = w.op("and", bits, _MAGNITUDE, vector)
    sign = w.op("lshr", w.op("xor", bits, size, vector), 16, vector)
    last = w.op("and", w.op("lshr", size, 13, vector), 1, vector)
    total = w.op("add", w.op("add", size, 0xFFF, vector), last, vector)
    normal = w.op("lshr", w.op("sub", total, 112 << 23, vector), 13, vector)
    exponent = w.op("lshr", size, 23, vector)
    mantissa = w.op("or", w.op("and", size, 0x7FFFFF, vector), 0x800000, vector)
    wanted = w.op("sub", constant(126, vector), exponent, vector)
    places = w.select(w.compare("ult", wanted, 31, vector), wanted, constant(31, vector), "i32", vector)
    half = w.op("sub", w.op("shl", constant(1, vector), w.op("sub", places, 1, vector), vector), 1, vector)
    odd = w.op("and", w.op("lshr", mantissa, places, vector), 1, vector)
    tiny = w.op("lshr", w.op("add", w.op("add", mantissa, half, vector), odd, vector), places, vector)
    nan = w.compare("ugt", size, _INFINITY, vector)
    special = w.select(nan, constant(0x7E00, vector), constant(0x7C00, vector), "i32", vector)
    result = w.select(w.compare("ult", size, 0x38800000, vector), tiny, normal, "i32", vector)
    result = w.select(w.compare("uge", size, 0x47800000, vector), special, result, "i32", vector)
    made = w.op("or", result, sign, vector)
    f.zero_above[made] = 16
    return made


def _legalize_float_size(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    if {source.element, target.element} != {"half", "float"}:
        raise NotLegal(f"a conversion from {source.element} to {target.element}")
    convert = from_half if instruction.op == "fpext" else to_half
    f.elementwise(instruction, lambda vector, a: [convert(f, vector, a[0])])


RULES: dict[str, Rule] = {
    "fpext": _legalize_float_size,
    "fptrunc": _legalize_float_size,
}
