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

from collections.abc import Sequence

from voltac.ir.cfg import ControlFlow, NaturalLoop, control_flow
from voltac.ir.lane_values import LaneValues, lane_values
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
from voltac.passes.loops.narrow_sums import choose_before_extending
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
            _Widening(function, calls, layout, options, _MOST_FILLING if is_narrow else _MOST_INSTRUCTIONS, not gains).write()


class _Widening:
    """Rewrites a function's loops of up to ``most`` instructions, longer ones only where they wait; ``only_fills``: that
    registers are filled is all that is gained."""

    def __init__(
        self, function: Function, calls: RareCalls, layout: DataLayout, options: Options, most: int, only_fills: bool
    ) -> None:
        self.function, self.calls, self.layout, self.options = function, calls, layout, options
        self.most, self.only_fills = most, only_fills

    def write(self) -> None:
        if self.calls.is_any():
            separate_joins(self.function)
        flow = control_flow(self.function)
        inner = flow.inner_loops()
        if not flow.loops:
            return
        values = lane_values(self.function, self.layout)
        known = FunctionEffects(self.calls.effects, self.function, values)
        for loop in flow.loops:
            within = inner[loop.header]
            found = GangLoop.of(self.function, loop, flow, values, _MOST_FILLING)
            body = self._body_of(found, within, flow, values) if found else None
            if body is not None and body.is_possible(known):
                self._widen(body, known)

    def _body_of(
        self, found: GangLoop, within: Sequence[NaturalLoop], flow: ControlFlow, values: LaneValues
    ) -> WideBody | None:
        """What the loop does, unless other loops, branches or what is carried on forbid that several gangs do it."""
        if within and len(found.blocks) > 1 and found.carried:
            return None
        branches = BodyBranches(found, flow, values, self.calls)
        branching = len(found.blocks) > 1 and not within
        if branching and not branches.are_known():
            return None
        move_conditions_into_terms(found, values)
        choose_before_extending(found, values, self.options.target)
        carried, in_turn = None if branching else accumulators(found, values, self.options), list[Instruction]()
        if carried is None:
            turns = carried_in_turn(found, self.calls)
            if turns is None or within:
                return None
            carried, in_turn = [], turns
        body = WideBody(found, values, carried, self.options, within, branches)
        body.only_fills, body.in_turn = self.only_fills, in_turn
        if len(within) == 1 and not carried:
            body.asking = asking_of(self.function, within[0], flow, values, self.options)
        return body

    def _widen(self, body: WideBody, known: FunctionEffects) -> None:
        """Several gangs at once, where that gains, and fewer at once of what those leave."""
        found = body.loop
        only_waits = sum(len(block.instructions) for block in found.blocks) > self.most
        factor, fewer = factors_of(body, only_waits)
        if factor == 1:
            return
        written = WideLoop(found, body.carried, body.narrow, self.options.target)
        written.asking = body.asking | body.branches.tests
        written.rare, written.parted, written.in_turn = body.branches.rare, frozenset(body.parted), body.in_turn
        last = LastSums(ShiftableLoop(found, body.values, known)) if body.is_narrow and body.narrow else None
        written.write(factor, body.distances)
        if fewer > 1:
            written.begin_behind()
            written.write(fewer, body.distances)
            if last is not None and last.is_possible:
                last.write(written, fewer)
