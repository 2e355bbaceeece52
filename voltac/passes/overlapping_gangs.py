"""Loops over gangs whose rest would run under a slow mask -> the last gang runs over the last elements, all lanes on.

    test:    %i = phi ...                                test:    ... br (%i < %limit), body, left
             br (%i < %limit), body, finished    ->      left:    br (%i < %end and %extent >= WIDTH), last, finished
    finished: br (%rest != 0), masked, done              last:    the body for %i = %end - WIDTH; br done

Some of its elements were done before, and are done again: that must make no difference. It makes none where which lane does an
element does not matter (:mod:`voltac.passes.loops.shiftable`) and no load touches an object that is stored to, so that each
element's results are the same again; and stores are to different objects, or to the same places in the same order. Nothing is
touched that the loop does not touch. For fewer elements than a gang has lanes everything is as before.

Where gangs are done several at a time, the last ones are so, too: one wide gang in place of up to three and a masked one.
"""

from __future__ import annotations

from voltac.ir import marks
from voltac.ir import match as m
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.constants import integers
from voltac.ir.lane_formulas import uniform_multiple
from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Block, Instruction, Module
from voltac.options import Options
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.facts.effects import FunctionEffects, ModuleEffects
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.outlined_blocks import is_seldom_called
from voltac.passes.loops.shiftable import ShiftableLoop

_MOST_INSTRUCTIONS = 200
"""Of a body, which there is once more of. Chosen, not measured."""
_BLOCKS = 2
"""A test and a body."""
_SEVERAL = m.call("@llvm.ssub.sat.", m.value("limit"), m.constant("others"))
_SOME_LEFT = m.op("icmp", m.value("rest"), m.number(0), predicate="ne")


def overlap_last_gangs(module: Module, options: Options) -> None:
    """Rewrite the module."""
    effects: ModuleEffects | None = None
    layout = module.layout(options.target.pointer_bits // 8)
    for function in module.functions:
        if is_seldom_called(function) or not any(pseudo_operation(each) == "scatter" for each in function.instructions()):
            continue
        flow = control_flow(function)
        values = LaneValues(function, layout)
        loops = {}
        for loop in flow.loops:
            gangs = GangLoop.of(function, loop, flow, values, _MOST_INSTRUCTIONS)
            if gangs is not None and len(loop.blocks) == _BLOCKS:
                loops[gangs.header.name] = gangs
        for gangs in loops.values():
            done = _behind(gangs, flow)
            if done is None:
                continue
            effects = effects or ModuleEffects(module)
            known = FunctionEffects(effects, function, values)
            found = [ShiftableLoop(gangs, values, known)]
            several = loops.get(gangs.outside)
            if several is not None and _is_before(several, gangs, values):
                found.insert(0, ShiftableLoop(several, values, known))
            if all(each.is_shiftable() and each.may_do_twice() for each in found) and _is_rest(found, values):
                for each in found:
                    _write(each, found[-1], done)


def _behind(loop: GangLoop, flow: ControlFlow) -> Block | None:
    """The block behind the loop and its rest; None where there is no rest, or more than that before the block."""
    function = loop.function
    finished = function.block(loop.header.terminator.parts.labels[1])
    branch = finished.terminator
    path = marks.path_of(unquoted(finished.name))
    if path is None or path.path != marks.FINISHED or branch.op != "br" or len(branch.parts.labels) != 2:
        return None
    masked, done = branch.parts.labels
    inside, waiting = set(), [masked]
    while waiting:
        name = waiting.pop()
        if name != done and name not in inside:
            inside.add(name)
            waiting += function.block(name).successors
            if not function.block(name).successors or not flow.dominates(masked, name):
                return None
    known = marks.path_of(unquoted(masked))
    behind = function.block(done)
    if known is None or known.path != marks.MASKED or list(behind.phis()) or list(finished.phis()):
        return None
    return behind


def _is_before(several: GangLoop, loop: GangLoop, values: LaneValues) -> bool:
    """Whether it does the same, several gangs at a time, as long as there are enough (``widen_gangs``)."""
    found = _SEVERAL.find(several.limit, values.definitions)
    return (
        found is not None
        and found["limit"].value == loop.limit
        and integers(*found["others"]) == (several.width - loop.width,)
        and several.counter == loop.start
        and several.header.terminator.parts.labels[1] == loop.header.name
    )


def _is_rest(found: list[ShiftableLoop], values: LaneValues) -> bool:
    """Whether what is behind the last loop is the rest of all, and there may be one."""
    single = found[-1]
    if not single.has_limits(found[0].loop.start):
        return False
    extent = values.scalar("i32", single.extent)
    width = single.loop.width
    if uniform_multiple(extent, values.facts) % width == 0 and extent.offsets[0] % width == 0:
        return False
    finished = single.loop.function.block(single.loop.header.terminator.parts.labels[1])
    left = _SOME_LEFT.find(finished.terminator.operands[0].value, values.definitions)
    return left is not None and left["rest"].value == single.rest


def _write(found: ShiftableLoop, single: ShiftableLoop, done: Block) -> None:
    """The two blocks behind a loop."""
    loop, function = found.loop, found.loop.function
    fresh = function.fresh_names()
    stem = unquoted(loop.header.name)
    last, more, enough, overlap = (fresh(name) for name in ("last", "more", "enough", "overlap"))
    test, gang = fresh(f"{stem}.left")[1:], fresh(f"{stem}.last.{marks.LEFT_OVER}")[1:]
    otherwise = loop.header.terminator.parts.labels[1]
    ask = [
        Instruction(f"  {more} = icmp slt i32 {loop.counter}, {single.end}"),
        Instruction(f"  {enough} = icmp sge i32 {single.extent}, {loop.width}"),
        Instruction(f"  {overlap} = and i1 {more}, {enough}"),
        Instruction(f"  br i1 {overlap}, label %{gang}, label %{otherwise}"),
    ]
    body = [Instruction(f"  {last} = sub nsw i32 {single.end}, {loop.width}"), *found.body_at(last, fresh)]
    body.append(Instruction(f"  br label %{done.name}"))
    loop.header.terminator.rename({f"%{otherwise}": f"%{test}"})
    for phi in function.block(otherwise).phis():
        phi.rename({f"%{loop.header.name}": f"%{test}"})
    position = function.blocks.index(function.block(otherwise))
    function.blocks[position:position] = [Block(test, ask, f"{test}:"), Block(gang, body, f"{gang}:")]
