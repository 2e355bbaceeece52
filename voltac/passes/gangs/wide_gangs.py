"""All-on loops over bytes and short integers, or that find the least or greatest -> several gangs at once, before single ones.

    loop over i by 8:   %v = gather <8 x i8> at i + <0 .. 7> ...
    ->
    loop over i by 32:  %v = gather <32 x i8> at i + <0 .. 31> ...
    then the loop over i by 8 for what is left

Eight lanes of bytes fill a quarter of a register. Where every statement works on
each lane by itself, and no element that one gang stores is touched by another
gang, the statements of neighbouring gangs may be done together. What the loop sums up
(:mod:`voltac.passes.loops.accumulators`) is done side by side too: its steps need not wait for each other.
So with gangs whose work is a short loop, the same number of iterations for all of them.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.types import DataLayout
from voltac.options import Options
from voltac.passes.facts.effects import FunctionEffects
from voltac.passes.gangs.overlapping_sums import LastSums
from voltac.passes.gangs.wide_bodies import WideBody
from voltac.passes.gangs.wide_factors import factors_of
from voltac.passes.loops.accumulators import accumulators, move_conditions_into_terms
from voltac.passes.loops.body_branches import BodyBranches
from voltac.passes.loops.carried_in_turn import carried_in_turn
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.rare_branches import RareCalls
from voltac.passes.loops.separate_joins import separate_joins
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.passes.loops.wide_loops import WideLoop, gains_by_width
from voltac.passes.loops.wide_walks import asking_of

_MOST_INSTRUCTIONS, _MOST_FILLING = 200, 600
"""Of a loop; where single gangs leave half of each register empty it may be longer. Chosen, not measured."""
_WORD_BITS = 32
"""Of float and int, a gang of which may fill half of a register or less."""


def widen_gangs(module: Module, options: Options) -> None:
    """Rewrite the module."""
    layout = module.layout(options.target.pointer_bits // 8)
    calls: RareCalls | None = None
    is_narrow = 2 * _WORD_BITS * options.target.width <= options.target.vector_bits
    for function in module.often_called:
        gains = gains_by_width(function, options)
        if gains or is_narrow:
            calls = calls or RareCalls(module)
            _widen_function(function, calls, layout, options, _MOST_FILLING if is_narrow else _MOST_INSTRUCTIONS, not gains)


def _widen_function(
    function: Function, calls: RareCalls, layout: DataLayout, options: Options, most: int, only_fills: bool
) -> None:
    """Rewrite loops of up to ``most`` instructions, longer ones only where they wait; ``only_fills``: that registers are filled
    is all that is gained."""
    if calls.is_any():
        separate_joins(function)
    flow = control_flow(function)
    inner = flow.inner_loops()
    if not flow.loops:
        return
    values = lane_values(function, layout)
    known = FunctionEffects(calls.effects, function, values)
    for loop in flow.loops:
        within = inner[loop.header]
        found = GangLoop.of(function, loop, flow, values, _MOST_FILLING)
        if found is None or (within and len(found.blocks) > 1 and found.carried):
            continue
        branches = BodyBranches(found, flow, values, calls)
        branching = len(found.blocks) > 1 and not within
        if branching and not branches.are_known():
            continue
        move_conditions_into_terms(found, values)
        carried, in_turn = None if branching else accumulators(found, values, options), list[Instruction]()
        if carried is None:
            turns = carried_in_turn(found, calls)
            if turns is None or within:
                continue
            carried, in_turn = [], turns
        body = WideBody(found, values, carried, options, within, branches)
        body.only_fills, body.in_turn = only_fills, in_turn
        if len(within) == 1 and not carried:
            body.asking = asking_of(function, within[0], flow, values, options)
        if not body.is_possible(known):
            continue
        only_waits = sum(len(block.instructions) for block in found.blocks) > most
        factor, fewer = factors_of(body, only_waits)
        if factor > 1:
            written = WideLoop(found, carried, body.narrow, options.target)
            written.asking = body.asking | branches.tests
            written.rare, written.parted, written.in_turn = branches.rare, frozenset(body.parted), in_turn
            last = LastSums(ShiftableLoop(found, values, known)) if body.is_narrow and body.narrow else None
            written.write(factor, body.distances)
            if fewer > 1:
                written.begin_behind()
                written.write(fewer, body.distances)
                if last is not None and last.is_possible:
                    last.write(written, fewer)
