"""Conversions between floats and integers of two words, on the bits; and conversions that saturate, by those that do not."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.legalize.floats import is_nan, magnitude
from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.integers import is_negative, negate, select_words, shift
from voltac.codegen.legalize.writer import constant
from voltac.ir.model import Instruction

_SIGN = 0x80000000
"""That of a word, and of the bit pattern of a float."""

ToInteger = Callable[[Legalizer, bool, int, str, bool], Words]
"""``(legalizer, vector, bits, float, is signed)``: a float cut off to an integer."""
Compare = Callable[[Legalizer, str, bool, str, str], str]
"""``(legalizer, predicate, vector, a, b)``: a comparison of floats."""


def float_of_pair(f: Legalizer, vector: bool, a: Words, is_signed: bool) -> str:
    """Rounded to nearest, ties to even."""
    w = f.write
    if is_signed:
        negative = is_negative(f, vector, 64, a)
        size = float_of_pair(f, vector, select_words(f, vector, negative, negate(f, vector, a), a), False)
        sign = w.op("and", a[1], _SIGN, vector)
        return w.float_of(w.op("or", w.bits_of(size, vector), sign, vector), vector)
    low, high = a
    no_high = w.compare("eq", high, 0, vector)
    zeros = w.select(
        no_high,
        w.op("add", w.count_zeros(low, False, vector), 32, vector),
        w.count_zeros(high, False, vector),
        "i32",
        vector,
    )
    rest, top = shift(f, "shl", vector, 64, a, [w.op("and", zeros, 63, vector), constant(0, vector)])
    lost = w.op("or", rest, w.op("and", top, 63, vector), vector)
    sticky = w.to_int(w.compare("ne", lost, 0, vector), vector)
    # 26 bits, of which the last two are rounded.
    part = w.op("or", w.op("lshr", top, 6, vector), sticky, vector)
    odd = w.op("and", w.op("lshr", part, 2, vector), 1, vector)
    significand = w.op("lshr", w.op("add", w.op("add", part, 1, vector), odd, vector), 2, vector)
    exponent = w.op("shl", w.op("sub", constant(189, vector), zeros, vector), 23, vector)
    is_zero = w.compare("eq", w.op("or", low, high, vector), 0, vector)
    made = w.op("add", significand, exponent, vector)
    return w.float_of(w.select(is_zero, constant(0, vector), made, "i32", vector), vector)


def pair_of_float(f: Legalizer, vector: bool, value: str, is_signed: bool) -> Words:
    """Cut off; what does not fit is anything."""
    w = f.write
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


def saturating(to_integer: ToInteger, compare: Compare, is_signed: bool) -> Rule:
    """``llvm.fptosi.sat`` and ``llvm.fptoui.sat``, by a machine's conversion that may give anything for what does not fit."""

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
