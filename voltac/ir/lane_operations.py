"""Operations on two integers -> the formula of the result, from those of the operands."""

from __future__ import annotations

from voltac.ir import lane_blocks, lane_formulas
from voltac.ir.lane_formulas import FactsOf, LaneValue

_DIVISIONS = {"sdiv": "zero", "udiv": "unsigned", "ashr": "floor", "lshr": "unsigned"}


def binary(
    op: str, flags: tuple[str, ...], first: LaneValue, second: LaneValue, whole: LaneValue | None, facts: FactsOf
) -> LaneValue | None:
    """``whole``: the result of lanes as a symbol, None for a scalar. None where the result has no formula."""
    if op == "add" or (op == "or" and "disjoint" in flags):
        return lane_formulas.add(first, second, flags, facts)
    if op == "sub":
        return lane_formulas.subtract(first, second, flags, facts)
    if first.is_constant and op in ("mul", "and", "or", "xor"):
        first, second = second, first
    found = _with_constant(op, flags, first, second, facts) if second.is_constant else None
    if found is None and whole is not None and op in lane_blocks.OPERATIONS:
        return lane_blocks.with_uniform(op, first, second, whole, facts)
    return found


def _with_constant(op: str, flags: tuple[str, ...], first: LaneValue, second: LaneValue, facts: FactsOf) -> LaneValue | None:
    """The result for a number that is known in each lane, as far as it follows from the uniform part of ``first``."""
    if op == "xor" and set(second.offsets) == {-1}:
        return lane_blocks.inverse(first, facts)
    if op in ("and", "or", "xor"):
        return lane_formulas.bitwise(first, op, second.offsets, facts)
    if not second.is_uniform:
        return None
    amount = second.offsets[0]
    if op == "mul":
        return lane_formulas.scale(first, amount, flags, facts)
    if op in ("shl", "ashr", "lshr"):
        if not 0 <= amount < first.bits:
            return None
        if op == "shl":
            return lane_formulas.scale(first, 1 << amount, flags, facts)
        amount = 1 << amount
    if op in _DIVISIONS:
        return lane_formulas.divide(first, amount, _DIVISIONS[op], facts)
    if op in ("srem", "urem"):
        return lane_formulas.remainder(first, amount, op == "srem", facts)
    return None
