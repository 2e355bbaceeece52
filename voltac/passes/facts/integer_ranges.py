"""Interval arithmetic of the operations on 32-bit integers: least and greatest result, from those of the operands.

Numbers are read as signed ones. Bounds are exact in whole numbers; what goes beyond 32 bits may
have wrapped, and nothing is known of it then. Any function may answer :data:`ALL`.
"""

from __future__ import annotations

from collections.abc import Callable

Range = tuple[int, int]

ALL: Range = (-(1 << 31), (1 << 31) - 1)
_WIDEST = 64
"""Bits of the integers that are shifted; a shift by more than the type has is poison."""


def union(first: Range, second: Range) -> Range:
    """The least range that holds both."""
    return min(first[0], second[0]), max(first[1], second[1])


def range_of_call(name: str, ranges: list[Range]) -> Range:
    """Of ``abs``, ``smin``, ``smax``, ``umin`` and ``umax``; of unsigned ones only where nothing is negative."""
    first = ranges[0]
    if name == "abs":
        high = max(abs(first[0]), abs(first[1]))
        return 0 if first[0] <= 0 <= first[1] else min(abs(first[0]), abs(first[1])), high
    second = ranges[1]
    if name[0] == "u" and min(first[0], second[0]) < 0:
        return ALL
    choose = min if name.endswith("min") else max
    return choose(first[0], second[0]), choose(first[1], second[1])


def _of_corners(compute: Callable[[int, int], int]) -> Callable[[Range, Range], Range]:
    """The range of what is greatest and least at ends of both ranges."""

    def found(first: Range, second: Range) -> Range:
        corners = [compute(one, two) for one in first for two in second]
        return min(corners), max(corners)

    return found


def _range_of_and(first: Range, second: Range) -> Range:
    tops = [side[1] for side in (first, second) if side[0] >= 0]
    return (0, min(tops)) if tops else ALL


def _range_of_or(first: Range, second: Range) -> Range:
    if first[0] < 0 or second[0] < 0:
        return ALL
    return 0, (1 << max(first[1], second[1]).bit_length()) - 1


def _range_of_left_shift(first: Range, second: Range) -> Range:
    return _of_corners(lambda number, count: number << count)(first, second) if 0 <= second[0] <= second[1] < _WIDEST else ALL


def _range_of_right_shift(first: Range, second: Range) -> Range:
    return _of_corners(lambda number, count: number >> count)(first, second) if 0 <= second[0] <= second[1] < _WIDEST else ALL


def _range_of_logical_shift(first: Range, second: Range) -> Range:
    return _range_of_right_shift(first, second) if first[0] >= 0 else ALL


def _range_of_quotient(first: Range, second: Range) -> Range:
    """Rounded to zero."""
    if second[0] <= 0:
        return ALL
    return _of_corners(lambda number, divisor: abs(number) // divisor * (-1 if number < 0 else 1))(first, second)


def _range_of_unsigned_quotient(first: Range, second: Range) -> Range:
    return _range_of_quotient(first, second) if first[0] >= 0 else ALL


def _range_of_remainder(first: Range, second: Range) -> Range:
    if second[0] <= 0:
        return ALL
    most = second[1] - 1
    return max(-most, min(0, first[0])), min(most, max(0, first[1]))


def _range_of_unsigned_remainder(first: Range, second: Range) -> Range:
    return _range_of_remainder(first, second) if first[0] >= 0 else ALL


RANGES: dict[str, Callable[[Range, Range], Range]] = {
    "add": lambda first, second: (first[0] + second[0], first[1] + second[1]),
    "sub": lambda first, second: (first[0] - second[1], first[1] - second[0]),
    "mul": _of_corners(lambda one, two: one * two),
    "and": _range_of_and,
    "or": _range_of_or,
    "xor": _range_of_or,
    "shl": _range_of_left_shift,
    "lshr": _range_of_logical_shift,
    "ashr": _range_of_right_shift,
    "udiv": _range_of_unsigned_quotient,
    "sdiv": _range_of_quotient,
    "urem": _range_of_unsigned_remainder,
    "srem": _range_of_remainder,
}
"""Operation -> the range of its result."""
