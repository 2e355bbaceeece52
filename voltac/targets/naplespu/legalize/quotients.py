"""Quotients of words by the core's division of floats, which rounds correctly in both of its modes.

%q = udiv i16 %a, %b         ->    the quotient of 256 a and b as floats, cut off, by 256: exact for so few bits
%q = udiv i32 %a, %b         ->    an inverse from the float quotient, one Newton step, two corrections
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer
from voltac.codegen.legalize.integers import literal
from voltac.codegen.legalize.writer import constant
from voltac.targets.naplespu.legalize.truncation import by_the_core, truncated

_EXACT_BITS, _SPARE = 16, 8
"""With so many bits to spare below the quotient, what the core's conversion makes 0 of is less than 1."""
_INVERSE_SCALE = 0x4F7FFFFE
"""The float 2^32 - 512: with it an inverse is never too large, whatever the roundings of divisor and quotient."""


def small_quotient(f: Legalizer, vector: bool, bits: int, a: str, b: str, is_signed: bool) -> str | None:
    """Of numbers with few bits; None for others."""
    return _small(f, vector, a, b, is_signed) if bits <= _EXACT_BITS or _are_small(f, a, b, is_signed) else None


def _small(f: Legalizer, vector: bool, a: str, b: str, is_signed: bool) -> str:
    w = f.write
    scaled = w.op("shl", a, _SPARE, vector)
    ratio = w.float_op("fdiv", w.converted(scaled, vector), w.converted(b, vector), vector)
    quotient = by_the_core(f, vector, ratio)
    if not is_signed:
        return w.op("lshr", quotient, _SPARE, vector)
    # Toward zero.
    beyond = w.op("lshr", w.op("ashr", quotient, 31, vector), 32 - _SPARE, vector)
    return w.op("ashr", w.op("add", quotient, beyond, vector), _SPARE, vector)


def _are_small(f: Legalizer, a: str, b: str, is_signed: bool) -> bool:
    def small(word: str) -> bool:
        known = literal(word)
        if known is not None:
            return known < 1 << _EXACT_BITS
        return f.zero_above.get(word, 32) <= _EXACT_BITS or (is_signed and f.sign_from.get(word, 32) <= _EXACT_BITS)

    return small(a) and small(b)


def quotient_and_rest(f: Legalizer, vector: bool, a: str, b: str) -> tuple[str, str]:
    """Quotient and remainder of any two 32-bit numbers."""
    w = f.write
    # The divisor as a float, rounded up where it has more than 24 bits.
    large = w.compare("ugt", b, 0xFFFFFF, vector)
    cut = w.op("add", w.op("lshr", b, 8, vector), 1, vector)
    near = w.converted(w.select(large, cut, b, "i32", vector), vector)
    scale = w.select(large, constant(8 << 23, vector), constant(0, vector), "i32", vector)
    divisor = w.float_of(w.op("add", w.bits_of(near, vector), scale, vector), vector)
    inverse_bits = w.float_of(constant(_INVERSE_SCALE, vector), vector)
    inverse = truncated(f, vector, w.float_op("fdiv", inverse_bits, divisor, vector), False)
    error = w.op("mul", w.op("sub", constant(0, vector), b, vector), inverse, vector)
    inverse = w.op("add", inverse, w.high_product(inverse, error, False, vector), vector)
    quotient = w.high_product(a, inverse, False, vector)
    rest = w.op("sub", a, w.op("mul", quotient, b, vector), vector)
    for _ in range(2):
        more = w.compare("uge", rest, b, vector)
        quotient = w.op("add", quotient, w.to_int(more, vector), vector)
        rest = w.select(more, w.op("sub", rest, b, vector), rest, "i32", vector)
    return quotient, rest
