"""A loop of rows around a foreach, of which some iterations may be done in one run of that: what it is, and writing them.

test:     %y = phi ...; br (%y < %limit), before, return        before:   what leads to the foreach; br inner, step
inner:    the loop over gangs       masked: its rest            step:     br test
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from voltac.ir.model import Block, Instruction
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop
from voltac.passes.loops.lane_loops import PLAIN, scalar_callee
from voltac.passes.loops.loop_hints import loop_of
from voltac.passes.loops.preheader import Preheader
from voltac.passes.loops.rests import SlowRest, blocks_of_rest
from voltac.passes.loops.shiftable import ShiftableLoop
from voltac.passes.loops.wide_loops import NEVER

WITHOUT_MEMORY = PLAIN | {"insertelement", "shufflevector"}
Copies = Callable[[list[Instruction], list[dict[str, str]], Callable[[str], str]], list[Instruction]]
"""Instructions for each iteration with its names, to which those of the results are added."""
Far = Callable[[Preheader], str]
"""Writes what asks for distances; the name of the answer, an i1."""


def is_of_lanes(instruction: Instruction) -> bool:
    """Whether it is an intrinsic of each lane by itself."""
    return instruction.op == "call" and scalar_callee(instruction.parts.callee) is not None


class RowNest:
    """The outer loop, and what is in it."""

    def __init__(self, inner: ShiftableLoop, outer: GangLoop, finished: Block, masked: Block) -> None:
        self.inner = inner
        self.outer = outer
        self.finished = finished
        self.masked = masked
        self.before = outer.blocks[0]
        """What leads to the foreach."""
        known = {each.name for each in outer.limits}
        self.changing = {each.name for each in outer.header.instructions if each.name and each.name not in known} | {
            inner.loop.counter,
            inner.loop.following,
        }
        """What may be another value in another iteration."""
        self.accesses = [*inner.accesses]
        """Of the whole gangs, and later of the rest."""
        self.fixed: dict[str, str] = {}
        """What is computed in the loop and is the same in each iteration: as a formula of what comes from outside."""
        for each in (*self.before.instructions, *inner.loop.body.instructions, *masked.instructions):
            if each.op not in PLAIN or each.op == "freeze" or not self.changing.isdisjoint(each.names_used()):
                self.changing.add(each.name)
            elif each.name:
                formula = Instruction(each.text)
                formula.rename(self.fixed)
                self.fixed[each.name] = f"({formula.text.partition(' = ')[2].partition(', !')[0]})"

    @classmethod
    def parts(cls, rest: SlowRest, most: int, own: Collection[str] = ()) -> tuple[ShiftableLoop, GangLoop, Block, Block] | None:
        """What it is made of, the outer loop of at most so many instructions; None for another form, or where the program says
        itself whether to unroll the loop: where that has a node for LLVM that is none of the compiler's ``own``."""
        inner, function = rest.loop, rest.loop.loop.function
        header = inner.loop.header.name
        loops = [loop for loop in rest.flow.loops if header in loop.blocks and loop.header != header]
        around = max(loops, key=lambda loop: loop.depth, default=None)
        if around is None or not inner.is_shiftable():
            return None
        outer = GangLoop.of(function, around, rest.flow, inner.values, most, finds_limit=True)
        finished = function.block(inner.loop.header.terminator.parts.labels[1])
        masked = finished.terminator.parts.labels[0]
        left = blocks_of_rest(function, masked, rest.done.name)
        if outer is None or outer.carried or len(left) != 1 or rest.done is not outer.body:
            return None
        if loop_of(rest.done.terminator) not in ("", *own):
            return None
        names = {outer.blocks[0].name, header, inner.loop.body.name, finished.name, masked, rest.done.name}
        if names != {block.name for block in outer.blocks} or inner.loop.outside != outer.blocks[0].name:
            return None
        return inner, outer, finished, function.block(masked)

    def is_fixed(self) -> bool:
        """Whether how far the foreach goes is the same in each iteration, and what leads to it may be done earlier."""
        inner, step = self.inner, self.outer.body
        if {inner.loop.start, inner.loop.limit, inner.rest, inner.extent, inner.end} & self.changing:
            return False
        if len(self.finished.instructions) != 2 or len(step.instructions) != 2:
            return False
        if any(operand.value in self.changing for operand in self.before.terminator.operands):
            return False
        for each in self.before.instructions[:-1]:
            if each.op == "load" and self.may_be_stored(each):
                return False
            if each.op != "load" and each.op not in WITHOUT_MEMORY:
                return False
        return True

    def may_be_stored(self, load: Instruction) -> bool:
        """Whether what it loads, for all lanes, may be stored in the loop."""
        return any(self.inner.effects.may_touch(load, each.memory) for each in self.accesses if each.is_store)

    def write(self, count: int, copies: Copies, far: Far | None = None) -> None:
        """Put so many joined iterations before the outer loop, which goes on with those that are left.

        ``copies`` makes the instructions of all of them; ``far`` what asks, before the loop, whether they may be joined.
        """
        function, outer, inner = self.outer.function, self.outer, self.inner.loop
        fresh = function.fresh_names()

        def label(block: Block) -> str:
            return fresh(f"{unquoted(block.name)}.rows")[1:]

        begin = fresh(f"{unquoted(outer.header.name)}.rows_begin")[1:]
        head, before, test, gang, finished, masked, step = map(
            label, (outer.header, self.before, inner.header, inner.body, self.finished, self.masked, outer.body)
        )
        last, more, after = fresh("rows.last"), fresh("rows.more"), fresh("rows.after")
        rows = [fresh("row") for _ in range(count)]
        counter, following, left = fresh("in.rows"), fresh("in.rows"), fresh("rows.left")
        targets = {
            f"%{old.name}": f"%{new}"
            for old, new in (
                (inner.header, test), (inner.body, gang), (self.finished, finished), (self.masked, masked), (outer.body, step),
            )
        }  # fmt: skip

        def jump(block: Block) -> Instruction:
            made = Instruction(block.terminator.text)
            made.rename(targets)
            return made

        names: list[dict[str, str]] = [{outer.counter: row} for row in rows]
        lead = [
            Instruction(f"  {row} = add nsw i32 {rows[0]}, {number * outer.width}") for number, row in enumerate(rows) if number
        ]
        lead += copies(self.before.instructions[:-1], names, fresh)
        start, limit = (names[0].get(value, value) for value in (inner.start, inner.limit))
        enter, ask, branch = jump(self.before), Instruction(self.finished.instructions[0].text), jump(self.finished)
        enter.rename(names[0])
        ask.rename(names[0])
        ask.text = ask.text.replace(ask.name, left, 1)
        branch.rename({self.finished.instructions[0].name: left})
        for each in names:
            each[inner.counter] = counter
        work = [each for each in inner.body.instructions[:-1] if each.name != inner.following]
        compare = fresh("in.rows.more")
        blocks = {
            begin: [*outer.limits, *self._last(last, count, far, fresh), Instruction(f"  br label %{head}")],
            head: [
                Instruction(f"  {rows[0]} = phi i32 [ {outer.start}, %{begin} ], [ {after}, %{step} ]"),
                Instruction(f"  {more} = icmp slt i32 {rows[0]}, {last}"),
                Instruction(f"  br i1 {more}, label %{before}, label %{outer.header.name}"),
            ],
            before: [*lead, enter],
            test: [
                Instruction(f"  {counter} = phi i32 [ {start}, %{before} ], [ {following}, %{gang} ]"),
                Instruction(f"  {compare} = icmp slt i32 {counter}, {limit}"),
                Instruction(f"  br i1 {compare}, label %{gang}, label %{finished}"),
            ],
            gang: [
                *copies(work, names, fresh),
                Instruction(f"  {following} = add nsw i32 {counter}, {inner.width}"),
                jump(inner.body),
            ],
            finished: [ask, branch],
            masked: [*copies(self.masked.instructions[:-1], names, fresh), jump(self.masked)],
            step: [
                Instruction(f"  {after} = add nsw i32 {rows[0]}, {count * outer.width}"),
                Instruction(f"  br label %{head}"),
            ],
        }
        outer.header.instructions = [each for each in outer.header.instructions if each not in outer.limits]
        function.block(outer.outside).terminator.rename({f"%{outer.header.name}": f"%{begin}"})
        outer.phi.text = f"  {outer.phi.name} = phi i32 [ {rows[0]}, %{head} ], [ {outer.following}, %{outer.body.name} ]"
        position = function.blocks.index(outer.header)
        function.blocks[position:position] = [Block(name, made, f"{name}:") for name, made in blocks.items()]

    def _last(self, last: str, count: int, far: Far | None, fresh: Callable[[str], str]) -> list[Instruction]:
        """The limit of joined iterations."""
        subtracted = f"call i32 @llvm.ssub.sat.i32(i32 {self.outer.limit}, i32 {(count - 1) * self.outer.width})"
        if far is None:
            return [Instruction(f"  {last} = {subtracted}")]
        code = Preheader(fresh)
        answer, limit = far(code), fresh("rows.limit")
        return [
            *code.instructions,
            Instruction(f"  {limit} = {subtracted}"),
            Instruction(f"  {last} = select i1 {answer}, i32 {limit}, i32 {NEVER}"),
        ]
