"""Selections whose other arm no lane wants -> the arm that is wanted.

    %x3 = add <8 x i32> %x, splat (i32 3)                    %chosen = select <8 x i1> %m, <8 x i32> %x3, <8 x i32> %x
    %y = mul <8 x i32> %chosen, splat (i32 7)         ->     %y = mul <8 x i32> %x3, splat (i32 7)
    scatter(%y, %p, %m)                                      scatter(%y, %p, %m)

A variable that is assigned under a condition is a selection; what is computed of it and stored under the same condition
needs only the one arm, and what the other side of the ``if`` computes of it the other. What other lanes then compute nobody
looks at, as :mod:`voltac.passes.facts.lane_ranges` finds out; divisions by what varies keep their selections.
"""

from __future__ import annotations

from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Instruction, Module
from voltac.ir.types import lanes_of
from voltac.ir.uses import remove_unused, uses_of
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.accesses.available_loads import inverse, mask_implies, masks_exclude
from voltac.passes.facts.lane_ranges import Condition, WantedRanges


def choose_wanted(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.often_called:
        chosen = [each for each in function.instructions() if each.op == "select" and lanes_of(each.operands[0].type)]
        if not chosen or not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        values, uses = lane_values(function, layout), uses_of(function)
        wanted = WantedRanges(values.definitions, uses)
        changed: list[tuple[Instruction, str, str]] = []
        for made in chosen:
            for user in uses.of(made.name):
                arm = _wanted_arm(made, wanted.wanted_by(user, made.name), values)
                if arm and user is not made:
                    changed.append((user, made.name, arm))
        for user, name, arm in changed:
            user.rename({name: arm})
        if changed:
            remove_unused(function, {name for _, name, _ in changed})


def _wanted_arm(made: Instruction, conditions: frozenset[Condition], values: LaneValues) -> str:
    """What a selection is where somebody wants it; empty where that may be either."""
    test, yes, no = (each.value for each in made.operands)
    for mask, holds in sorted(conditions):
        if not holds and (inverted := inverse(mask, values)):
            mask, holds = inverted, True
        if holds and mask_implies(mask, test, values):
            return yes
        if holds and masks_exclude(mask, test, values):
            return no
        if not holds and mask == test:
            return no
    return ""
