"""Sums in loops that run a known number of times: between what bounds they stay.

    %s = phi <8 x i32> [ zeroinitializer, %before ], [ %next, %body ]       16 iterations, so %s is from 0 to 16 * 255
    %next = add <8 x i32> %s, (zext of <8 x i8> %b)

Loops may be in loops: what the inner one adds in all its iterations is what an iteration of the outer one adds.
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.ir.cfg import control_flow
from voltac.ir.constants import integers
from voltac.ir.match import Definitions
from voltac.ir.model import Function, Instruction
from voltac.ir.parts import Operand
from voltac.ir.types import element_of, lanes_of
from voltac.passes.facts.integer_ranges import ALL, Range, union
from voltac.passes.facts.lane_ranges import LaneRanges
from voltac.passes.loops.counted_loops import CountedLoop

_MOST_ITERATIONS = 1 << 16
"""Terms are whole numbers: a sum of more leaves 16 bits, which is what is asked for, unless all are 0."""
_MOST_TERMS = 64
"""Additions from the sum of one iteration to that of the next one. Chosen, not measured."""


def counted_sums(function: Function, definitions: Definitions) -> dict[str, Range]:
    """Name of a vector of 32-bit sums -> the least and greatest number that its lanes hold, where these are known."""
    if not any(each.op == "phi" and _is_sum(each) for block in function.blocks for each in block.phis()):
        return {}
    found: dict[str, Range] = {}
    loops: dict[str, tuple[CountedLoop, int]] = {}
    flow = control_flow(function)
    for loop in flow.loops:
        counted = CountedLoop.of(function, loop, flow, definitions)
        iterations = _iterations(counted) if counted is not None else None
        if counted is not None and iterations is not None:
            loops.update({phi.name: (counted, iterations) for phi in counted.header.phis() if _is_sum(phi)})
    terms = LaneRanges(definitions)
    for name, (counted, iterations) in loops.items():
        phi = definitions[name]
        growth = _growth(counted.arm(phi, counted.body.name), name, loops, definitions, terms, [_MOST_TERMS])
        if growth is None:
            continue
        low, high = LaneRanges(definitions, found).range(Operand(phi.type, counted.arm(phi, counted.outside)))
        grown = _repeated(growth, iterations)
        if ALL[0] <= low + grown[0] and high + grown[1] <= ALL[1]:
            found[name] = low + grown[0], high + grown[1]
    return found


def _is_sum(phi: Instruction) -> bool:
    return lanes_of(phi.type) > 0 and element_of(phi.type) == "i32"


def _iterations(loop: CountedLoop) -> int | None:
    """How often the body runs; None where that is not known, or too often."""
    start, limit = loop.arm(loop.counter, loop.outside), loop.limit.value
    if "%" in (start[0], limit[0]):
        return None
    first, last = integers(loop.counter.type, start), integers(loop.limit.type, limit)
    if first is None or last is None:
        return None
    count = max(0, last[0] - first[0] + (loop.predicate == "sle"))
    return count if count <= _MOST_ITERATIONS else None


def _repeated(growth: Range, iterations: int) -> Range:
    """By how much a sum may have grown after any number of iterations up to that."""
    return min(0, growth[0] * iterations), max(0, growth[1] * iterations)


def _growth(
    value: str,
    base: str,
    loops: dict[str, tuple[CountedLoop, int]],
    definitions: Definitions,
    terms: LaneRanges,
    left: list[int],
) -> Range | None:
    """By how much a value is more than another one that it is a sum with; None where it is not known."""
    if value == base:
        return 0, 0
    left[0] -= 1
    made = m.made_by(("add", "sub", "select", "phi"), value, definitions)
    if made is None or left[0] < 0:
        return None

    def of(part: str, whole: str = base) -> Range | None:
        return _growth(part, whole, loops, definitions, terms, left)

    if made.op == "select":
        first, second = (of(each.value) for each in made.operands[1:])
        return union(first, second) if first is not None and second is not None else None
    if made.op == "phi":
        if made.name not in loops:
            return None
        inner, iterations = loops[made.name]
        before, each_time = of(inner.arm(made, inner.outside)), of(inner.arm(made, inner.body.name), made.name)
        if before is None or each_time is None:
            return None
        return _sum(before, _repeated(each_time, iterations))
    one, other = made.operands
    grown = of(one.value)
    if grown is not None:
        low, high = terms.range(other)
        return _sum(grown, (low, high) if made.op == "add" else (-high, -low))
    grown = of(other.value) if made.op == "add" else None
    return _sum(grown, terms.range(one)) if grown is not None else None


def _sum(first: Range, second: Range) -> Range:
    return first[0] + second[0], first[1] + second[1]
