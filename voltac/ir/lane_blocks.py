"""Operations of lanes that lie in one block of numbers with a number that is the same in all lanes.

    %i = 8 * x + <0, 1, ..., 7>,  %j a multiple of 8:       %i & %j, %i >> 5  are the same in all lanes
                                                            %i & (%j - 1),  %i % %j  differ by <0, 1, ..., 7>

The lanes differ in low bits only, in which the uniform part of their formula is zero. Where these bits of the number are
known as well, so is by how much the lanes of the result differ; what they have in common is the result's own lane 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from voltac.ir.lane_formulas import FactsOf, LaneValue, is_nonnegative, power_of_two_part, subtract, uniform_multiple

_BITWISE: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
_DIVISIONS = ("sdiv", "udiv", "srem", "urem")
_SHIFTS = ("ashr", "lshr")
OPERATIONS = frozenset((*_BITWISE, *_DIVISIONS, *_SHIFTS))


def with_uniform(op: str, first: LaneValue, second: LaneValue, whole: LaneValue, facts: FactsOf) -> LaneValue | None:
    """The result of one of :data:`OPERATIONS`, given as ``whole`` what its lane 0 is; None where it has no such formula."""
    if op in _BITWISE and first.is_uniform:
        first, second = second, first
    step = power_of_two_part(uniform_multiple(first, facts))
    if not step or not second.is_uniform or len({offset // step for offset in first.offsets}) != 1:
        return None
    number = second.offsets[0]
    if op in _SHIFTS:
        # What is left of a block is its upper bits, wrapped or not.
        gone = second.is_constant and 0 <= number < first.bits and step <= 1 << number
        return LaneValue(first.bits, whole.terms, (0,) * len(first.offsets)) if gone else None
    if uniform_multiple(second, facts) % step:
        return None
    if op in _BITWISE:
        changed = [_BITWISE[op](offset, number) & (step - 1) for offset in first.offsets]
    elif number % step or not _divides_as_written(op, first, facts):
        return None
    else:
        changed = [offset if op in ("srem", "urem") else 0 for offset in first.offsets]
    return LaneValue(first.bits, whole.terms, tuple(each - changed[0] for each in changed))


def _divides_as_written(op: str, value: LaneValue, facts: FactsOf) -> bool:
    """Whether the formula is the number that is divided: it has not wrapped, and is not negative."""
    return (value.signed and is_nonnegative(value, facts)) or (op[0] == "u" and value.unsigned)


def inverse(value: LaneValue, facts: FactsOf) -> LaneValue:
    """All bits the other way: ``-1 - value``, which never wraps as a signed number."""
    minus_one = LaneValue(value.bits, {}, (-1,) * len(value.offsets), True, False)
    return subtract(minus_one, value, ("nsw",), facts)
