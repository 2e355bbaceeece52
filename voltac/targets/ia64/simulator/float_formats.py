"""Floating registers: 82 bits, and what memory and general registers have of them (IA-64 7).

A register is a number: sign at bit 81, exponent of 17 bits with bias 65535 at bit 64, significand with its leading 1. Numbers
below a format's normal range come from memory as they stand there, without a leading 1.
"""

from __future__ import annotations

BIAS = 0xFFFF
SPECIAL = 0x1FFFF
"""The exponent of infinities and NaNs."""
NATVAL_EXPONENT = 0x1FFFE
NATVAL = NATVAL_EXPONENT << 64
INTEGER = 0x1003E
"""The exponent of an integer, or of a pair, in a significand."""
SIGN = 1 << 81
"""The bit of the sign."""
LEADING = 1 << 63
"""The leading 1 of a significand."""
INFINITY = SPECIAL << 64 | LEADING
DEFAULT_NAN = SIGN | SPECIAL << 64 | 3 << 62
SIGNIFICAND = (1 << 64) - 1
"""The bits of a significand."""
ONE = BIAS << 64 | LEADING


def of_bits(bits: int, exponent_bits: int, fraction_bits: int) -> int:
    """A number of an interchange format, as a load brings it."""
    sign = bits >> exponent_bits + fraction_bits & 1
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    significand = (bits & (1 << fraction_bits) - 1) << 63 - fraction_bits
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        return sign << 81 | SPECIAL << 64 | LEADING | significand
    if exponent:
        return sign << 81 | exponent - bias + BIAS << 64 | LEADING | significand
    return sign << 81 | (1 - bias + BIAS << 64 if significand else 0) | significand


def to_bits(value: int, exponent_bits: int, fraction_bits: int) -> int:
    """The bits that a store writes: those of a number that the format holds; of others what is left of them."""
    sign, exponent, significand = value >> 81, value >> 64 & SPECIAL, value & SIGNIFICAND
    top = (1 << exponent_bits) - 1
    head = sign << exponent_bits + fraction_bits
    if exponent == SPECIAL:
        return head | top << fraction_bits | significand >> 63 - fraction_bits & (1 << fraction_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    stored = exponent - BIAS + bias
    if significand >> 63 and stored > 0:
        return head | (stored & top) << fraction_bits | significand >> 63 - fraction_bits & (1 << fraction_bits) - 1
    # Below the normal range.
    shift = 64 - fraction_bits - min(stored, 1)
    return head | (significand >> shift if shift < 64 else 0)


def of_single(bits: int) -> int:
    """From 32 bits."""
    return of_bits(bits, 8, 23)


def of_double(bits: int) -> int:
    """From 64 bits."""
    return of_bits(bits, 11, 52)


def to_single(value: int) -> int:
    """32 bits."""
    return to_bits(value, 8, 23)


def to_double(value: int) -> int:
    """64 bits."""
    return to_bits(value, 11, 52)


def of_extended(bits: int) -> int:
    """From the 80 bits of a double-extended number, the lowest of 16 bytes."""
    sign, exponent, significand = bits >> 79 & 1, bits >> 64 & 0x7FFF, bits & SIGNIFICAND
    if exponent == 0x7FFF:
        return sign << 81 | SPECIAL << 64 | significand
    if exponent or not significand:
        return sign << 81 | (exponent - 0x3FFF + BIAS << 64 if exponent else 0) | significand
    return sign << 81 | 1 - 0x3FFF + BIAS << 64 | significand


def to_extended(value: int) -> int:
    """80 bits."""
    sign, exponent, significand = value >> 81, value >> 64 & SPECIAL, value & SIGNIFICAND
    if exponent == SPECIAL:
        return sign << 79 | 0x7FFF << 64 | significand
    stored = exponent - BIAS + 0x3FFF
    if significand >> 63 and stored > 0:
        return sign << 79 | (stored & 0x7FFF) << 64 | significand
    shift = 1 - min(stored, 1)
    return sign << 79 | (significand >> shift if shift < 64 else 0)


def of_significand(bits: int) -> int:
    """An integer or a pair of singles."""
    return INTEGER << 64 | bits & SIGNIFICAND


def significand(value: int) -> int:
    """The same 64 bits."""
    return value & SIGNIFICAND


def of_exponent(bits: int) -> int:
    """The power of two with a sign and an exponent."""
    return (bits >> 17 & 1) << 81 | (bits & SPECIAL) << 64 | LEADING


def exponent(value: int) -> int:
    """Sign and exponent."""
    return value >> 64


def is_nan(value: int) -> bool:
    """Whether it is no number."""
    return value >> 64 & SPECIAL == SPECIAL and value & SIGNIFICAND != LEADING


def is_zero(value: int) -> bool:
    """Of either sign."""
    return not value & SIGNIFICAND and value >> 64 & SPECIAL < NATVAL_EXPONENT
