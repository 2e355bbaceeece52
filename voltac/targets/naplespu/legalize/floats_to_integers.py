"""Floats -> integers of any width, toward zero, on the bits (``truncation.py`` has those of a word)."""

from __future__ import annotations

from voltac.codegen.legalize.floats import compare, is_nan, magnitude
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.halves import from_half
from voltac.codegen.legalize.integers import negate, select_words, shift
from voltac.codegen.legalize.shapes import NotLegal
from voltac.codegen.legalize.writer import constant
from voltac.ir.model import Instruction
from voltac.targets.naplespu.legalize.truncation import by_the_core, small_sizes_are_alike, truncated


def to_integer(f: Legalizer, vector: bool, bits: int, value: str, is_signed: bool) -> Words:
    """Cut off; what does not fit is anything."""
    w = f.write
    if bits <= 32:
        return [truncated(f, vector, value, is_signed)]
    if bits > 64:
        raise NotLegal(f"a conversion of floating point to {bits} bits")
    pattern = w.bits_of(value, vector)
    size = magnitude(f, vector, pattern)
    mantissa = w.op("or", w.op("and", size, 0x7FFFFF, vector), 0x800000, vector)
    left = w.op("sub", w.op("lshr", size, 23, vector), 150, vector)
    zero = constant(0, vector)
    large = shift(f, "shl", vector, 64, [mantissa, zero], [left, zero])
    right = w.op("sub", zero, left, vector)
    limited = w.select(w.compare("ult", right, 31, vector), right, constant(31, vector), "i32", vector)
    small = [w.op("lshr", mantissa, limited, vector), zero]
    found = select_words(f, vector, w.compare("slt", left, 0, vector), small, large)
    if not is_signed:
        return found
    return select_words(f, vector, w.compare("slt", pattern, 0, vector), negate(f, vector, found), found)


def _legalize_to_integer(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    is_signed = instruction.op == "fptosi"
    is_coarse = is_signed and target.bits == 32 and small_sizes_are_alike(f, instruction)

    def compute(vector: bool, a: Words) -> Words:
        value = from_half(f, vector, a[0]) if source.element == "half" else a[0]
        if is_coarse:
            return [by_the_core(f, vector, value)]
        found = to_integer(f, vector, target.bits, value, is_signed)
        if target.bits == 1:
            return [f.write.compare("ne", f.write.op("and", found[0], 1, vector), 0, vector)]
        return found

    f.elementwise(instruction, compute)


def _to_integer_saturating(is_signed: bool) -> Rule:
    def whole(f: Legalizer, instruction: Instruction) -> None:
        bits = f.shapes.of(instruction.type).bits

        def one(vector: bool, a: Words) -> Words:
            w = f.write
            count = (bits + 31) // 32

            def number(value: int) -> Words:
                return [constant(value >> 32 * word, vector) for word in range(count)]

            limit = float(1 << (bits - is_signed))
            low = -limit if is_signed else 0.0
            texts = [f"splat (float {each!r})" if vector else repr(each) for each in (limit, low)]
            found = to_integer(f, vector, bits, a[0], is_signed)
            over = compare(f, "oge", vector, a[0], texts[0])
            under = compare(f, "olt", vector, a[0], texts[1])
            nan = is_nan(f, vector, w.bits_of(a[0], vector))
            found = select_words(f, vector, over, number((1 << (bits - is_signed)) - 1), found)
            found = select_words(f, vector, under, number(1 << (bits - 1) if is_signed else 0), found)
            return select_words(f, vector, nan, number(0), found)

        f.elementwise(instruction, one)

    return whole


RULES: dict[str, Rule] = {
    "fptosi": _legalize_to_integer,
    "fptoui": _legalize_to_integer,
}
INTRINSICS: dict[str, Rule] = {
    "fptosi.sat": _to_integer_saturating(True),
    "fptoui.sat": _to_integer_saturating(False),
}
