"""The rest behind a loop over gangs -> smaller gangs with all lanes on, one for each bit of the number that is left.

    finished: br (%rest != 0), masked, done    ->    finished: br (%rest != 0), ask.4, done
    masked:   the body under a mask                  ask.4:    br (%rest & 4), gang.4, ask.2
                                                     gang.4:   the body for 4 lanes from %limit; br ask.2
                                                     ask.2:    ...

For loops that change what they load in place, whose last gang may not overlap (:mod:`voltac.passes.gangs.overlapping_gangs`),
and for those that load from rows that begin again, side by side only from multiples of a gang's width on.
Masks of bytes and 16-bit numbers cost an access a lane before AVX-512. Where rows follow each other a mask costs even where it
is an instruction: the next row's first loads, or the same row's in the next turn, overlap what is stored under the mask without
being it, and wait until it is in the cache (bytes in rows of 131 on an Intel Xeon: 0.38 of the time with AVX-512, 0.85 with
AVX2).

Which lane does an element must not matter (:mod:`voltac.passes.loops.shiftable`), and what a lane stores no other loads: where
that hangs on a distance that is known when the loop begins (two rows of one matrix), it is asked for, and the masked rest kept.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import marks
from voltac.ir.cfg import ControlFlow
from voltac.ir.model import Block, Instruction, Module
from voltac.ir.types import lanes_of
from voltac.options import Options
from voltac.passes.accesses.cost_rows import has_masked
from voltac.passes.loops.accumulators import repeated
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.distances import Distance, are_far, distance, few
from voltac.passes.loops.lane_counts import with_lanes
from voltac.passes.loops.preheader import Preheader
from voltac.passes.loops.rests import SlowRest, blocks_of_rest, slow_rests
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.target_info import TargetInfo

_MOST_INSTRUCTIONS = 64
"""Of a body, which there is once more of for each bit. Chosen, not measured."""


def divide_rests(module: Module, options: Options) -> None:
    """Rewrite the module."""
    for rest in slow_rests(module, options, _MOST_INSTRUCTIONS):
        if _has_its_own(rest) and rest.loop.is_shiftable(by_gangs=True) and _is_wanted(rest, options.target):
            distances = _to_ask(rest.loop)
            if distances is not None and few(distances):
                _write(rest.loop, rest.done, rest.flow, distances)


def _has_its_own(rest: SlowRest) -> bool:
    """Whether the rest is of this loop alone; versions of a loop for some distances share theirs (``version_distances``)."""
    header = rest.loop.loop.header
    return rest.flow.predecessors[header.terminator.parts.labels[1]] == [header.name]


def _is_wanted(rest: SlowRest, target: TargetInfo) -> bool:
    found = rest.loop
    if found.begins_again:
        return rest.first.loop.start == "0" and not all(has_masked(target, each.size) for each in found.accesses)
    return not found.may_do_twice()


def _to_ask(found: ShiftableLoop) -> list[Distance] | None:
    """Distances that have to be a gang or more for no lane to load what another stores; None where that may be anyway."""
    wanted: list[Distance] = []
    for pair in found.pairs():
        if not (found.same_place(*pair) or found.apart(*pair) or found.between(*pair) or found.far(*pair)):
            asked = distance(found.loop, *pair)
            if asked is None:
                return None
            wanted.append(asked)
    return wanted


def _write(found: ShiftableLoop, done: Block, flow: ControlFlow, distances: list[Distance]) -> None:
    """The blocks in place of those under a mask, or before them, where the distances are those of a gang or more."""
    loop, function = found.loop, found.loop.function
    fresh = function.fresh_names()
    stem = unquoted(loop.header.name)
    finished = function.block(loop.header.terminator.parts.labels[1])
    masked = finished.terminator.parts.labels[0]
    left_out = blocks_of_rest(function, masked, done.name)
    counts = [1 << bit for bit in reversed(range(loop.width.bit_length() - 1))]
    asks = [fresh(f"{stem}.ask.{count}")[1:] for count in counts]
    blocks: list[Block] = []
    for count, ask, following in zip(counts, asks, [*asks[1:], done.name], strict=True):
        gang = fresh(f"{stem}.{marks.LEFT_OVER}.{count}")[1:]
        bit, some, before, position = (fresh(name) for name in ("bit", "some", "before", "position"))
        test = [
            Instruction(f"  {bit} = and i32 {found.rest}, {count}"),
            Instruction(f"  {some} = icmp ne i32 {bit}, 0"),
            Instruction(f"  br i1 {some}, label %{gang}, label %{following}"),
        ]
        body = [
            Instruction(f"  {before} = and i32 {found.rest}, {loop.width - 2 * count}"),
            Instruction(f"  {position} = add nsw i32 {loop.limit}, {before}"),
            *_with_lanes(found.body_at(position, fresh), loop.width, count, fresh),
            Instruction(f"  br label %{following}"),
        ]
        blocks += [Block(ask, test, f"{ask}:"), Block(gang, body, f"{gang}:")]
    first = asks[0]
    if distances:
        code, first = Preheader(fresh), fresh(f"{stem}.ask.far")[1:]
        far = are_far(loop, distances, loop.width, code)
        choice = Instruction(f"  br i1 {far}, label %{asks[0]}, label %{masked}")
        blocks.insert(0, Block(first, [*code.instructions, choice], f"{first}:"))
        for phi in function.block(masked).phis():
            phi.rename({f"%{finished.name}": f"%{first}"})
    finished.terminator.rename({f"%{masked}": f"%{first}"})
    place = function.blocks.index(function.block(masked))
    function.blocks[place:place] = blocks
    if not distances:
        function.blocks = [each for each in function.blocks if each.name not in left_out]


def _with_lanes(body: list[Instruction], width: int, count: int, fresh: Callable[[str], str]) -> list[Instruction]:
    """The same for fewer lanes; of vectors from outside the first ones, which are as all others."""
    inside = {each.name for each in body}
    outer: dict[str, str] = {}
    enter: list[Instruction] = []
    made: list[Instruction] = []
    for instruction in body:
        for operand in instruction.operands:
            if lanes_of(operand.type) and operand.value[0] == "%" and operand.value not in inside | set(outer):
                outer[operand.value] = fresh("outer")
                enter.append(repeated(outer[operand.value], operand.type, operand.value, count))
        copy = Instruction(with_lanes(instruction.text, width, count))
        copy.rename(outer)
        made.append(copy)
    return enter + made
