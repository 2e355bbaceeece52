"""What the meanings of integer rows call: numbers of 64 bits, and the parallel ones in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

M = (1 << 64) - 1
"""All bits of a general register."""


class NaT:
    """What a general register has whose speculative load failed: no number."""

    def __repr__(self) -> str:
        return "NaT"


NAT = NaT()
"""The only one."""


def is_nat(value: object) -> int:
    """1 for what a failed speculative load left, in either file of registers."""
    return int(value is NAT or (isinstance(value, int) and value >> 64 & 0x1FFFF == 0x1FFFE))


def s64(value: int) -> int:
    """With its sign."""
    value &= M
    return value - (1 << 64) if value >> 63 else value


def x4(value: int) -> int:
    """The lower 32 bits without, or with, their sign for relations that look at 64."""
    return value & 0xFFFFFFFF


def sx4(value: int) -> int:
    """The lower 32 bits, sign-extended to 64."""
    value &= 0xFFFFFFFF
    return value | 0xFFFFFFFF00000000 if value >> 31 else value


def sign(value: int, bits: int) -> int:
    """A number of so many bits with its sign."""
    return value - (1 << bits) if value >> bits - 1 & 1 else value


def extr(value: int, position: int, length: int) -> int:
    """A bit field, sign-extended; what lies beyond the register is its sign."""
    length = min(length, 64 - position)
    return sign(value >> position & (1 << length) - 1, length) & M


def czx(value: int, bits: int, from_left: bool) -> int:
    """The number of the first element that is zero, from one end; as many as there are where none is."""
    count = 64 // bits
    for number in range(count):
        place = count - 1 - number if from_left else number
        if not value >> bits * place & (1 << bits) - 1:
            return number
    return count


def clip(value: int, least: int, most: int) -> int:
    """Saturation."""
    return least if value < least else most if value > most else value


def elements(value: int, bits: int) -> list[int]:
    """The elements of a register, the lowest first, without signs."""
    mask = (1 << bits) - 1
    return [value >> place & mask for place in range(0, 64, bits)]


def joined(values: Sequence[int], bits: int) -> int:
    """A register of elements, of which each is cut to its bits."""
    mask = (1 << bits) - 1
    return sum((value & mask) << bits * number for number, value in enumerate(values))


def each(bits: int, function: Callable[[int, int], int], a: int, b: int) -> int:
    """What a function makes of every two elements."""
    return joined([function(x, y) for x, y in zip(elements(a, bits), elements(b, bits))], bits)


def each_s(bits: int, function: Callable[[int, int], int], a: int, b: int) -> int:
    """The same of elements with their signs."""
    pairs = zip(elements(a, bits), elements(b, bits))
    return joined([function(sign(x, bits), sign(y, bits)) for x, y in pairs], bits)


def pmpy2(a: int, b: int, first: int) -> int:
    """Products of 32 bits of every second element of 16."""
    pairs = list(zip(elements(a, 16), elements(b, 16)))[first::2]
    return joined([sign(x, 16) * sign(y, 16) for x, y in pairs], 32)


def mix(bits: int, a: int, b: int, first: int) -> int:
    """Every second element of both, those of ``a`` in the higher places."""
    x, y = elements(a, bits)[first::2], elements(b, bits)[first::2]
    return joined([one for pair in zip(y, x) for one in pair], bits)


def unpack(bits: int, a: int, b: int, start: int) -> int:
    """The elements of both halves from a bit on, those of ``a`` in the higher places."""
    x, y = (elements(value >> start, bits)[: 32 // bits] for value in (a, b))
    return joined([one for pair in zip(y, x) for one in pair], bits)


def pack(bits: int, a: int, b: int, least: int, most: int) -> int:
    """Elements of half the size, saturated: those of ``a`` in the lower half."""
    both = [*elements(a, bits), *elements(b, bits)]
    return joined([clip(sign(one, bits), least, most) for one in both], bits // 2)


def psad(a: int, b: int) -> int:
    """The sum of the absolute differences of eight bytes."""
    return sum(abs(x - y) for x, y in zip(elements(a, 8), elements(b, 8)))


def permuted(bits: int, value: int, order: Sequence[int]) -> int:
    """Element j of the result is element ``order[j]``."""
    found = elements(value, bits)
    return joined([found[place] for place in order], bits)


FUNCTIONS = {
    name: globals()[name]
    for name in (
        "M", "s64", "x4", "sx4", "sign", "extr", "czx", "clip", "each", "each_s", "pmpy2", "mix", "unpack", "pack", "psad",
        "permuted", "is_nat",
    )
}  # fmt: skip
"""What meanings name."""
