"""float -> integer of 32 bits, toward zero, on the bits.

The core's own conversion gives 0 for what has a size from 128 to 256 (NaplesPU 7): it is taken where that makes no
difference, as for the sum of a fixed-point number and half a unit that is shifted right by eight bits or more.

    %q = fptosi float %x to i32     ->    1.mantissa, the point at the left, shifted right by 158 - exponent; the sign
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer
from voltac.codegen.legalize.writer import constant
from voltac.ir.constants import integers
from voltac.ir.model import Instruction

_LOST = 255
"""The greatest size that becomes 0."""
_ONE = 0x3F800000 << 1
"""The bit pattern of 1.0 without its sign: as ``twice`` is."""


def truncated(f: Legalizer, vector: bool, value: str, is_signed: bool) -> str:
    """What does not fit is anything."""
    w = f.write
    bits = w.bits_of(value, vector)
    twice = w.op("shl", bits, 1, vector)
    places = w.op("sub", constant(127 + 31, vector), w.op("lshr", twice, 24, vector), vector)
    mantissa = w.op("or", w.op("shl", bits, 8, vector), 1 << 31, vector)
    is_below_one = w.compare("ult", twice, _ONE, vector)
    size = w.select(is_below_one, constant(0, vector), w.op("lshr", mantissa, places, vector), "i32", vector)
    if not is_signed:
        return size
    sign = w.op("ashr", bits, 31, vector)
    return w.op("sub", w.op("xor", size, sign, vector), sign, vector)


def by_the_core(f: Legalizer, vector: bool, value: str) -> str:
    """By the core's instruction, for what is known not to have a size from 128 to 256, or where that may become 0."""
    w = f.write
    return w.value(f"fptosi {w.type('float', vector)} {value} to {w.type('i32', vector)}")


def small_sizes_are_alike(f: Legalizer, conversion: Instruction) -> bool:
    """Do all uses of a conversion to 32 bits give the same for every number from -255 to 255?"""
    return all(_is_coarse(f, user, conversion.name, 0) for user in f.uses.of(conversion.name))


def _is_coarse(f: Legalizer, user: Instruction, name: str, added: int) -> bool:
    if user.op not in ("add", "ashr") or len(user.operands) != 2 or user.operands[0].value != name:
        return False
    numbers = integers(user.type, user.operands[1].value)
    if numbers is None or len(set(numbers)) != 1:
        return False
    (number,) = set(numbers)
    if user.op == "add":
        return (
            not added and abs(number) < 1 << 30 and all(_is_coarse(f, each, user.name, number) for each in f.uses.of(user.name))
        )
    return 0 <= number < 32 and added - _LOST >> number == added + _LOST >> number
