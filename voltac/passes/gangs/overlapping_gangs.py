"""Loops over gangs whose rest would run under a slow mask -> the last gang runs over the last elements, all lanes on.

    test:    %i = phi ...                                test:    ... br (%i < %limit), body, left
             br (%i < %limit), body, finished    ->      left:    br (%i < %end and %extent >= WIDTH), last, finished
    finished: br (%rest != 0), masked, done              last:    the body for %i = %end - WIDTH; br done

Some of its elements were done before, and are done again: that must make no difference. It makes none where which lane does an
element does not matter (:mod:`voltac.passes.loops.shiftable`) and no load touches what an element less than a gang away stores,
so that each element's results are the same again; and stores are to different objects, or to the same places in the same order.
Distances that are known when the loop begins are asked for. Nothing is touched that the loop does not touch. For fewer elements
than a gang has lanes everything is as before.

Where gangs are done several at a time, the last ones are so, too: one wide gang in place of up to three and a masked one; where
values take several registers, only if more than one gang is left.
"""

from __future__ import annotations

from voltac.ir import marks
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.parts import CASTS
from voltac.ir.types import element_of, lanes_of
from voltac.options import Options
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.distances import are_far, few
from voltac.passes.loops.preheader import Preheader
from voltac.passes.loops.rests import slow_rests
from voltac.passes.loops.shiftable import ShiftableLoop

_MOST_INSTRUCTIONS = 700
"""Of a body, which there is once more of. Chosen, not measured."""
_LONG = 7
"""Instructions that compute, of a body. With up to 5 what decides takes longer than what a wide gang does in vain (rows of 37
and 100 bytes: 1.2 to 1.6 times the time), with 7 and more of a mean, or the sums of a gradient, 0.7 to 0.95."""
_OF_PLACES = frozenset(("ptr", "i64", "i1"))
"""What places and masks are made of."""


def overlap_last_gangs(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for rest in slow_rests(module, options, _MOST_INSTRUCTIONS):
        found = [each for each in (rest.several, rest.loop) if each is not None]
        if all(each.is_shiftable() and each.may_do_twice(where_far=True) and few(each.distances) for each in found):
            for each in found:
                costs_more = each is not rest.loop and _costs_several(each, options.target.vector_bits // 8)
                _write(each, rest.loop, rest.done, rest.loop.loop.width if costs_more else 0)


def _costs_several(found: ShiftableLoop, register: int) -> bool:
    """Whether the body is long, and takes several registers of so many bytes for a value."""
    layout = found.values.layout
    sizes = [
        layout.size(element_of(each.type)) * lanes_of(each.type)
        for each in found.loop.body.instructions
        if lanes_of(each.type) and element_of(each.type) not in _OF_PLACES and each.op not in CASTS
        if found.values.value(each.type, each.name) is None
    ]
    return len(sizes) >= _LONG and max(sizes) > register


def _write(found: ShiftableLoop, single: ShiftableLoop, done: Block, few: int) -> None:
    """The two blocks behind a loop; ``few`` elements are left to other gangs."""
    loop, function = found.loop, found.loop.function
    fresh = function.fresh_names()
    stem = unquoted(loop.header.name)
    last, left, more, may, once, overlap = (fresh(name) for name in ("last", "left", "more", "may", "once", "overlap"))
    test, gang = fresh(f"{stem}.left")[1:], fresh(f"{stem}.last.{marks.LEFT_OVER}")[1:]
    otherwise = loop.header.terminator.parts.labels[1]
    # What does not change from row to row comes first, as one truth value.
    ask = [Instruction(f"  {may} = icmp sge i32 {single.extent}, {loop.width}")]
    for one, other in found.perhaps_the_same():
        differ, before, may = fresh("differ"), may, fresh("may")
        ask.append(Instruction(f"  {differ} = icmp ne ptr {one}, {other}"))
        ask.append(Instruction(f"  {may} = and i1 {before}, {differ}"))
    if found.distances:
        code = Preheader(fresh)
        far, before, may = are_far(loop, found.distances, loop.width, code), may, fresh("may")
        ask += [*code.instructions, Instruction(f"  {may} = and i1 {before}, {far}")]
    ask += [
        # Frozen it stays one where LLVM orders conditions anew; where it is poison, so is what the loop does.
        Instruction(f"  {once} = freeze i1 {may}"),
        Instruction(f"  {left} = sub i32 {single.end}, {loop.counter}"),
        Instruction(f"  {more} = icmp sgt i32 {left}, {few}"),
        Instruction(f"  {overlap} = and i1 {once}, {more}"),
        Instruction(f"  br i1 {overlap}, label %{gang}, label %{otherwise}"),
    ]
    body = [Instruction(f"  {last} = sub nsw i32 {single.end}, {loop.width}"), *found.body_at(last, fresh)]
    body.append(Instruction(f"  br label %{done.name}"))
    loop.header.terminator.rename({f"%{otherwise}": f"%{test}"})
    for phi in function.block(otherwise).phis():
        phi.rename({f"%{loop.header.name}": f"%{test}"})
    position = function.blocks.index(function.block(otherwise))
    function.blocks[position:position] = [Block(test, ask, f"{test}:"), Block(gang, body, f"{gang}:")]
