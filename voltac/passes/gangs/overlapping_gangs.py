"""Loops over gangs whose rest would run under a slow mask -> the last gang runs over the last elements, all lanes on.

    test:    %i = phi ...                                test:    ... br (%i < %limit), body, left
             br (%i < %limit), body, finished    ->      left:    br (%i < %end and %extent >= WIDTH), last, finished
    finished: br (%rest != 0), masked, done              last:    the body for %i = %end - WIDTH; br done

Some of its elements were done before, and are done again: that must make no difference. It makes none where which lane does an
element does not matter (:mod:`voltac.passes.loops.shiftable`) and no load touches what an element less than a gang away stores,
so that each element's results are the same again; and stores are to different objects, or to the same places in the same order.
Distances that are known when the loop begins are asked for. Nothing is touched that the loop does not touch. For fewer elements
than a gang has lanes everything is as before.

Where gangs are done several at a time, the last ones are so, too: one wide gang in place of up to three and a masked one.
"""

from __future__ import annotations

from voltac.ir import marks
from voltac.ir.model import Block, Instruction, Module
from voltac.options import Options
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.distances import are_far, few
from voltac.passes.loops.preheader import Preheader
from voltac.passes.loops.rests import slow_rests
from voltac.passes.loops.shiftable import ShiftableLoop

_MOST_INSTRUCTIONS = 700
"""Of a body, which there is once more of. Chosen, not measured."""


def overlap_last_gangs(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for rest in slow_rests(module, options, _MOST_INSTRUCTIONS):
        found = [each for each in (rest.several, rest.loop) if each is not None]
        if all(each.is_shiftable() and each.may_do_twice(where_far=True) and few(each.distances) for each in found):
            for each in found:
                _write(each, rest.loop, rest.done)


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
    ]
    for one, other in found.perhaps_the_same():
        differ, before, overlap = fresh("differ"), overlap, fresh("overlap")
        ask.append(Instruction(f"  {differ} = icmp ne ptr {one}, {other}"))
        ask.append(Instruction(f"  {overlap} = and i1 {before}, {differ}"))
    if found.distances:
        code = Preheader(fresh)
        far, before, overlap = are_far(loop, found.distances, loop.width, code), overlap, fresh("overlap")
        ask += [*code.instructions, Instruction(f"  {overlap} = and i1 {before}, {far}")]
    ask.append(Instruction(f"  br i1 {overlap}, label %{gang}, label %{otherwise}"))
    body = [Instruction(f"  {last} = sub nsw i32 {single.end}, {loop.width}"), *found.body_at(last, fresh)]
    body.append(Instruction(f"  br label %{done.name}"))
    loop.header.terminator.rename({f"%{otherwise}": f"%{test}"})
    for phi in function.block(otherwise).phis():
        phi.rename({f"%{loop.header.name}": f"%{test}"})
    position = function.blocks.index(function.block(otherwise))
    function.blocks[position:position] = [Block(test, ask, f"{test}:"), Block(gang, body, f"{gang}:")]
