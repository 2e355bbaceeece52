"""Short loops over gangs that store -> two gangs per iteration, and a single one behind them.

    test:  %i = phi [ start, %before ], [ %next, %body ]       pairs:  %last = ssub.sat %limit, WIDTH
           br (%i < %limit), body, after                       both:   %i = phi [ start, %pairs ], [ %other, %two ]
    body:  ...                                           ->            br (%i < %last), two, test
           %next = add nsw %i, WIDTH                           two:    the body for %i, the body for %next
           br test                                                     %other = add nsw %next, WIDTH
                                                                       br both
                                                               test:   br (%i < %limit), body, joined
                                                               body:   as it was; br joined
                                                               joined: %end = phi [ %i, %test ], [ %next, %body ]
                                                                       br after

What a loop takes besides its work, to count, to test and to branch, is a quarter of a short one. On an Intel Xeon two gangs per
iteration take 0.85 to 0.97 of the time in the first-level caches, with AVX2 and with AVX-512, and the same beyond them. (Four
took 6 to 18 % longer beyond the caches of a Zen 4, where prefetchers follow the order of single gangs best.)

Of loops that are in others, those that do several gangs at a time already stay as they are: they have few iterations, for each
of which there would be a test (bytes in rows of 131 took 1.1 to 1.2 times as long).

Every access, and the order of all of them, is that of the loop as it was. Both gangs are done where ``i < limit - WIDTH``, that
is ``i + WIDTH < limit``; where that difference would be below all numbers, no ``i`` is below it. So the loop as it was would
have come to ``%next`` and gone on: ``nsw`` is its own claim. What is left is less than two gangs, at most one iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from voltac.ir import marks
from voltac.ir.cfg import control_flow
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Block, Instruction, Module
from voltac.options import Options
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.loop_hints import loop_of, loops_of_single_gangs

_MOST_INSTRUCTIONS = 32
"""Of a body, without those whose results nothing uses, or that are the same in each iteration. A longer one hides what its loop
takes. Chosen, not measured."""
_MOST_WRITTEN = 200
"""Of a body with them: places of lanes, instead of which there are scalar ones by now. Chosen, not measured."""
_BLOCKS = 2
"""A test and a body."""


def pair_gangs(module: Module, options: Options) -> None:
    """Rewrite the module."""
    wanted = loops_of_single_gangs(module)
    if not wanted:
        return
    layout = module.layout(options.target.pointer_bits // 8)
    paired = False
    for function in module.often_called:
        bodies = [each for each in function.blocks if loop_of(each.terminator) in wanted]
        short = {each.name for each in bodies if _is_short(each, function.block(each.successors[0]).phis())}
        if not short:
            continue
        flow, values = control_flow(function), lane_values(function, layout)
        loops = [loop for loop in flow.loops if len(loop.blocks) == _BLOCKS and len(loop.latches) == 1]
        # All before the first is rewritten: the flow is that of the function as it was.
        found = [GangLoop.of(function, loop, flow, values, _MOST_WRITTEN) for loop in loops if loop.latches[0] in short]
        fresh = function.fresh_names()
        for gangs in found:
            if gangs is None or gangs.carried:
                continue
            if gangs.width <= options.target.width or gangs.outside not in flow.loop_of:
                _write(gangs, fresh)
                paired = True
    if paired:
        module.declare(["declare i32 @llvm.ssub.sat.i32(i32, i32)"])


def _is_short(body: Block, phis: Iterable[Instruction]) -> bool:
    """Whether it stores what it computes, and has few instructions whose results are used, which are no calls of functions.

    What is computed outside LLVM stores by ``memset``, where it can be.
    """
    stores, used = False, 0
    names: set[str] = set()
    inside = {each.name for each in body.instructions if each.name}
    moving = _moving(body, phis)
    for each in reversed(body.instructions):
        if each.name and each.name not in names:
            continue
        names.update(each.names_used())
        used += not each.name or each.name in moving
        if each.op == "call" and not each.parts.callee.startswith("@llvm."):
            return False
        is_store = each.op == "store" or (each.op == "call" and not each.name)
        stores = stores or (is_store and each.operands[0].value in inside)
    return stores and used <= _MOST_INSTRUCTIONS


def _moving(body: Block, phis: Iterable[Instruction]) -> set[str]:
    """What follows from the phis of the loop; the rest is the same in each iteration, where nothing stores to what it loads."""
    moving = {phi.name for phi in phis}
    for each in body.instructions:
        if each.name and not moving.isdisjoint(each.names_used()):
            moving.add(each.name)
    return moving


def _write(loop: GangLoop, fresh: Callable[[str], str]) -> None:
    """The loop over pairs before the single gang, which is no loop any more."""
    function, header, body = loop.function, loop.header, loop.body
    # As they are by now: another loop before this one may have been rewritten.
    arms = dict(zip(loop.phi.parts.labels, (each.value for each in loop.phi.operands)))
    outside = next(label for label in arms if label != body.name)
    limit = header.instructions[-2].operands[1].value
    stem = unquoted(header.name)
    pairs, both, joined = (fresh(f"{stem}.{part}")[1:] for part in ("pairs", "both", "joined"))
    two = fresh(f"{unquoted(body.name)}.{marks.TWO_GANGS}")[1:]
    last, more, counter, end = (fresh(name) for name in ("last", "more", "first", "end"))
    after = header.terminator.parts.labels[1]

    first, following = _copy(loop, counter, fresh)
    second, other = _copy(loop, following, fresh)
    back = Instruction(body.terminator.text)
    back.rename({f"%{header.name}": f"%{both}"})
    blocks = [
        Block(
            pairs,
            [
                Instruction(f"  {last} = call i32 @llvm.ssub.sat.i32(i32 {limit}, i32 {loop.width})"),
                Instruction(f"  br label %{both}"),
            ],
        ),
        Block(
            both,
            [
                Instruction(f"  {counter} = phi i32 [ {arms[outside]}, %{pairs} ], [ {other}, %{two} ]"),
                Instruction(f"  {more} = icmp slt i32 {counter}, {last}"),
                Instruction(f"  br i1 {more}, label %{two}, label %{header.name}"),
            ],
        ),
        Block(two, [*first, *second, back]),
    ]
    behind = Block(
        joined,
        [
            Instruction(f"  {end} = phi i32 [ {loop.counter}, %{header.name} ], [ {loop.following}, %{body.name} ]"),
            Instruction(f"  br label %{after}"),
        ],
    )
    for block in function.blocks:
        if block is header or block is body:
            continue
        for each in block.instructions:
            if loop.counter in each.text:
                each.rename({loop.counter: end})
        if block.name == after:
            for phi in block.phis():
                phi.rename({f"%{header.name}": f"%{joined}"})
    function.block(outside).terminator.rename({f"%{header.name}": f"%{pairs}"})
    loop.phi.text = f"  {loop.phi.name} = phi i32 [ {counter}, %{both} ]"
    header.terminator.rename({f"%{after}": f"%{joined}"})
    body.terminator.text = f"  br label %{joined}"
    position = function.blocks.index(header)
    function.blocks[position:position] = blocks
    function.blocks.insert(function.blocks.index(body) + 1, behind)


def _copy(loop: GangLoop, position: str, fresh: Callable[[str], str]) -> tuple[list[Instruction], str]:
    """One gang that begins at ``position``, and where the next one does."""
    names, made = {loop.counter: position}, []
    for instruction in loop.body.instructions[:-1]:
        copy = Instruction(instruction.text)
        copy.rename(names)
        if instruction.name:
            names[instruction.name] = fresh("of.pair")
            copy.text = copy.text.replace(instruction.name, names[instruction.name], 1)
        made.append(copy)
    return made, names[loop.following]
