"""Bits of floats and halves that code of the tile compares with: its halves have no infinity (IPU 3.8), the language's have."""

SIGN, INFINITY = 0x80000000, 0x7F800000
"""Of a float."""
HALF_OVERFLOW = 0x477FF000
"""The least float that rounds to no finite half, 65520."""
HALF_SIGN, HALF_INFINITY = 0x8000, 0x7C00
"""Of a half."""
