"""Integers -> floats, rounded to nearest, ties to even.

The core's conversion is right for what a float holds exactly. Where the upper 24 bits are all ones, or all but the last, and
round up, it gives half or twice the number (NaplesPU 7): 494 numbers of 32 bits. Its last bits are right then too, and where
some bits are cut off that would be rounded, so that no such number is left, its exponent is right::

    %f = sitofp i32 %x to float    ->    near = core(x & ~(x >> 23));    near + (core(x) - near & 3), on the bits

``x >> 23`` is nothing below 2^23; of what has the 23 upper bits set it covers the last two of the 24 and all below. The
number cut off is at most two steps smaller. Of a negative number the same is done to ``~x``.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.halves import to_half
from voltac.codegen.legalize.integers import (
    extend,
    sign_extended,
    zero_extended,
)
from voltac.codegen.legalize.pairs_and_floats import float_of_pair
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.model import Instruction

_EXACT_BITS = 24
"""Integers of so many bits are floats without rounding."""
_SIGN = 0x80000000
"""That of a word, and of the bit pattern of a float."""


def _legalize_to_float(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)
    is_signed = instruction.op[0] == "s"
    low, high = f.ranges.of(instruction.operands[0])
    is_half = target.element == "half"
    # Numbers that are halved or doubled are infinite as numbers of 16 bits.
    is_exact = source.bits <= 32 and (f.ranges.is_exact(instruction.operands[0]) or is_half)
    by_the_core = is_exact and (is_signed or low >= 0)

    def compute(vector: bool, a: Words) -> Words:
        if by_the_core and source.bits > 1:
            made = f.write.converted((sign_extended if is_signed else zero_extended)(f, source.bits, a, vector)[0], vector)
        elif low >= -(1 << _EXACT_BITS) and high <= 1 << _EXACT_BITS and source.bits > 32 and (is_signed or low >= 0):
            made = f.write.converted(a[0], vector)
        else:
            made = from_integer(f, vector, source.bits, a, is_signed, low >= 0)
        return [to_half(f, vector, made) if is_half else made]

    f.elementwise(instruction, compute)


def from_integer(f: Legalizer, vector: bool, bits: int, a: Words, is_signed: bool, is_positive: bool) -> str:
    """``is_positive``: it is known not to be negative, read as a signed number."""
    w = f.write
    if bits == 1:
        return w.converted(extend(f, vector, 1, 1, a, is_signed)[0], vector)
    if bits > 64:
        raise NotLegal(f"a conversion of {bits} bits to floating point")
    a = (sign_extended if is_signed else zero_extended)(f, bits, a, vector)
    if len(a) == 2:
        return float_of_pair(f, vector, a, is_signed)
    (number,) = a
    if f.zero_above.get(number, 32) <= _EXACT_BITS or (is_signed and f.sign_from.get(number, 32) <= _EXACT_BITS + 1):
        return w.converted(number, vector)
    if is_positive or f.zero_above.get(number, 32) < 32:
        return w.float_of(_of_positive(f, vector, number), vector)
    return w.float_of((_of_signed if is_signed else _of_unsigned)(f, vector, number), vector)


def _of_positive(f: Legalizer, vector: bool, number: str) -> str:
    w = f.write
    return _rounded(f, vector, number, w.op("and", number, w.op("lshr", number, 23, vector), vector))


def _of_signed(f: Legalizer, vector: bool, number: str) -> str:
    w = f.write
    size = w.op("xor", number, w.op("ashr", number, 31, vector), vector)
    return _rounded(f, vector, number, w.op("and", size, w.op("lshr", size, 23, vector), vector))


def _rounded(f: Legalizer, vector: bool, number: str, cut: str) -> str:
    """The bits of the float, given the bits of the number that are changed for its exponent's sake."""
    w = f.write
    near = w.bits_of(w.converted(w.op("xor", number, cut, vector), vector), vector)
    last = w.bits_of(w.converted(number, vector), vector)
    return w.op("add", near, w.op("and", w.op("sub", last, near, vector), 3, vector), vector)


def _of_unsigned(f: Legalizer, vector: bool, number: str) -> str:
    """From 2^31 on half of it, what is shifted out kept in the last bit, and twice the float."""
    w = f.write
    one = w.op("lshr", number, 31, vector)
    half = w.op("or", w.op("lshr", number, one, vector), w.op("and", number, one, vector), vector)
    return w.op("add", _of_positive(f, vector, half), w.op("shl", one, 23, vector), vector)


RULES: dict[str, Rule] = {
    "sitofp": _legalize_to_float,
    "uitofp": _legalize_to_float,
}
