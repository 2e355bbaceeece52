"""A loop around a foreach that changes the same elements every time -> four of its iterations in one run of the foreach.

    for (i = 0; i < m; i++)                        for (; i < m - 3; i += 4)
        foreach (j = 0 ... n)              ->          foreach (j = 0 ... n) {
            a[j] += b[i * n + j] * c[i];                   x = a[j]
                                                           x += b[i * n + j] * c[i] ... x += b[(i + 3) * n + j] * c[i + 3]
                                                           a[j] = x
                                                       }
                                                   for (; i < m; i++) ...  as it was

(Unroll and jam: Allen and Cocke, A Catalogue of Optimizing Transformations, 1971.) What is changed is loaded and stored once in
four iterations: products of matrices and vectors, sums over rows, filters.

Each element sees its operations in the order of before. What another gang does earlier than it did is of other memory: all that
is stored lies where the index of the foreach says, the same in every iteration of the outer loop, in the whole gangs
below the limit and in the rest, which is not below it; and what else is touched is of other objects. (A call with one array for
two parameters is taken only where no loop is around the foreach, ``sema/analyses/overlaps.py``.) Loops are not left early, and
how far the foreach goes does not depend on the outer loop: the same is touched. ``nsw`` is the loop's own claim: the four
iterations are below its limit, from which three of them were taken off, saturated.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import match as m
from voltac.ir.lane_formulas import UniformSymbol
from voltac.ir.model import Block, Instruction, Module
from voltac.options import Options
from voltac.passes.accesses.access import Access, pseudo_operation, read_access
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.gang_loops import GangLoop, root
from voltac.passes.loops.lane_loops import PLAIN, scalar_callee
from voltac.passes.loops.loop_hints import loop_of
from voltac.passes.loops.rests import SlowRest, blocks_of_rest, slow_rests
from voltac.passes.loops.shiftable import ShiftableLoop

_ROWS = 4
_MOST_INSTRUCTIONS = 40
"""Iterations of the outer loop at a time, and instructions of a gang, places of lanes included: one that computes longer does
not wait for what it loads and stores. Chosen, not measured."""
_POSITION = m.call("@llvm.smax.", m.value("limit"), m.value("start"))
_WITHOUT_MEMORY = PLAIN | {"insertelement", "shufflevector"}


def jam_rows(module: Module, options: Options) -> None:
    """Rewrite the module."""
    jammed = False
    for rest in slow_rests(module, options, _MOST_INSTRUCTIONS):
        if rest.several is None and (nest := _Nest.of(rest)) is not None:
            nest.write()
            jammed = True
    if jammed:
        module.declare(["declare i32 @llvm.ssub.sat.i32(i32, i32)"])


def _is_of_lanes(instruction: Instruction) -> bool:
    """Whether it is an intrinsic of each lane by itself."""
    return instruction.op == "call" and scalar_callee(instruction.parts.callee) is not None


class _Nest:
    """The outer loop, and what is in it."""

    def __init__(self, inner: ShiftableLoop, outer: GangLoop, finished: Block, masked: Block) -> None:
        self.inner = inner
        self.outer = outer
        self.finished = finished
        self.masked = masked
        self.before = outer.blocks[0]
        """What leads to the foreach."""
        self.changing = {each.name for each in outer.header.instructions if each.name} | {
            inner.loop.counter,
            inner.loop.following,
        }
        """What may be another value in another iteration."""
        self.fixed: dict[str, str] = {}
        """What is computed in the loop and is the same in each iteration: as a formula of what comes from outside."""
        for each in (*self.before.instructions, *inner.loop.body.instructions, *masked.instructions):
            if each.op not in PLAIN or each.op == "freeze" or not self.changing.isdisjoint(each.names_used()):
                self.changing.add(each.name)
            elif each.name:
                formula = Instruction(each.text)
                formula.rename(self.fixed)
                self.fixed[each.name] = f"({formula.text.partition(' = ')[2].partition(', !')[0]})"
        self.places: dict[int, tuple[object, ...]] = {}
        """Instruction, by identity, of an access -> its place, which others may have, too."""
        self.stored: set[tuple[object, ...]] = set()
        """Those of what is stored."""
        self.accesses: list[Access] = []
        """Of the whole gangs and of the rest."""

    @staticmethod
    def of(rest: SlowRest) -> _Nest | None:
        """None where the iterations may not be joined, or would not gain."""
        inner, function = rest.loop, rest.loop.loop.function
        header = inner.loop.header.name
        loops = [loop for loop in rest.flow.loops if header in loop.blocks and loop.header != header]
        around = max(loops, key=lambda loop: loop.depth, default=None)
        if around is None or not inner.is_shiftable():
            return None
        outer = GangLoop.of(function, around, rest.flow, inner.values, 4 * _MOST_INSTRUCTIONS)
        finished = function.block(inner.loop.header.terminator.parts.labels[1])
        masked = finished.terminator.parts.labels[0]
        left = blocks_of_rest(function, masked, rest.done.name)
        if outer is None or outer.carried or len(left) != 1 or rest.done is not outer.body or loop_of(rest.done.terminator):
            return None  # Or the program says itself whether to unroll it.
        names = {outer.blocks[0].name, header, inner.loop.body.name, finished.name, masked, rest.done.name}
        if names != {block.name for block in outer.blocks} or inner.loop.outside != outer.blocks[0].name:
            return None
        nest = _Nest(inner, outer, finished, function.block(masked))
        return nest if nest._is_apart() and nest._is_fixed() else None

    def _is_fixed(self) -> bool:
        """Whether how far the foreach goes is the same in each iteration, and what leads to it may be done earlier."""
        inner, step = self.inner, self.outer.body
        if {inner.loop.start, inner.loop.limit, inner.rest, inner.extent, inner.end} & self.changing:
            return False
        if len(self.finished.instructions) != 2 or len(step.instructions) != 2:
            return False
        if any(operand.value in self.changing for operand in self.before.terminator.operands):
            return False
        for each in self.before.instructions[:-1]:
            if each.op == "load" and self._may_be_stored(each):
                return False
            if each.op != "load" and each.op not in _WITHOUT_MEMORY:
                return False
        return True

    def _may_be_stored(self, load: Instruction) -> bool:
        return any(self.inner.effects.may_touch(load, each.memory) for each in self.accesses if each.is_store)

    def _is_apart(self) -> bool:
        """Whether all that is stored has its place by the index alone, and is touched there or not at all; and is loaded."""
        inner = self.inner
        position = next((each.name for each in self.masked.instructions if self._is_position(each)), "")
        self.accesses = [*inner.accesses]
        loads = []
        for at, each in enumerate(self.masked.instructions[:-1]):
            operation = pseudo_operation(each)
            if operation in ("gather", "scatter"):
                self.accesses.append(read_access(at, each, operation, inner.values))
            elif each.op == "load":
                loads.append(each)
            elif each.op not in _WITHOUT_MEMORY and each.name != position and not _is_of_lanes(each):
                return False
        for access in self.accesses:
            if access.address is None:
                return False
            terms = access.address.terms.items()
            counting = {(symbol, factor) for symbol, factor in terms if root(symbol) in (inner.loop.counter, position)}
            others = {(symbol, factor) for symbol, factor in terms if (symbol, factor) not in counting}
            if access.is_store and any(root(symbol) in self.changing for symbol, _ in others):
                return False
            fixed = frozenset((self._formula(symbol), factor) for symbol, factor in others)
            by_index = frozenset((symbol.text().replace(root(symbol), ""), factor) for symbol, factor in counting)
            self.places[id(access.instruction)] = (fixed, by_index, access.address.offsets, access.element)
        self.stored = {self.places[id(each.instruction)] for each in inner.accesses if each.is_store}
        for store in (each for each in self.accesses if each.is_store):
            place = self.places[id(store.instruction)]
            if place not in self.stored:
                return False
            if not all(self.places[id(each.instruction)] == place or inner.apart(store, each) for each in self.accesses):
                return False
        if any(self._may_be_stored(load) for load in loads):
            return False
        return any(not each.is_store and self.places[id(each.instruction)] in self.stored for each in inner.accesses)

    def _formula(self, symbol: UniformSymbol) -> str:
        name = root(symbol)
        return f"{symbol.kind} {symbol.text().replace(name, self.fixed.get(name, name))}"

    def _is_position(self, instruction: Instruction) -> bool:
        """Whether it is where the rest begins: no lower than the limit."""
        if not instruction.name:
            return False
        found = _POSITION.find(instruction.name, self.inner.values.definitions)
        loop = self.inner.loop
        return found is not None and (found["limit"].value, found["start"].value) == (loop.limit, loop.start)

    def _is_one_mask(self, access: Instruction) -> bool:
        """Whether all accesses to its place in its block are of the same lanes, in each iteration of the outer loop."""
        block = self.masked if any(each is access for each in self.masked.instructions) else self.inner.loop.body
        here = [each for each in block.instructions if self.places.get(id(each)) == self.places[id(access)]]
        masks = {each.operands[-1].value for each in here}
        changing = {self.outer.counter, *(each.name for each in self.before.instructions if each.name)}
        for each in block.instructions:
            if each.name and (each.op == "load" or id(each) in self.places or not changing.isdisjoint(each.names_used())):
                changing.add(each.name)
        return len(masks) == 1 and changing.isdisjoint(masks)

    def write(self) -> None:
        """Put the joined iterations before the outer loop, which goes on with those that are left."""
        function, outer, inner = self.outer.function, self.outer, self.inner.loop
        fresh = function.fresh_names()

        def label(block: Block) -> str:
            return fresh(f"{unquoted(block.name)}.rows")[1:]

        begin = fresh(f"{unquoted(outer.header.name)}.rows_begin")[1:]
        head, before, test, gang, finished, masked, step = map(
            label, (outer.header, self.before, inner.header, inner.body, self.finished, self.masked, outer.body)
        )
        last, more, after = fresh("rows.last"), fresh("rows.more"), fresh("rows.after")
        rows = [fresh("row") for _ in range(_ROWS)]
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
        lead += self._copies(self.before.instructions[:-1], names, fresh)
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
            begin: [
                Instruction(f"  {last} = call i32 @llvm.ssub.sat.i32(i32 {outer.limit}, i32 {(_ROWS - 1) * outer.width})"),
                Instruction(f"  br label %{head}"),
            ],
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
                *self._copies(work, names, fresh),
                Instruction(f"  {following} = add nsw i32 {counter}, {inner.width}"),
                jump(inner.body),
            ],
            finished: [ask, branch],
            masked: [*self._copies(self.masked.instructions[:-1], names, fresh), jump(self.masked)],
            step: [
                Instruction(f"  {after} = add nsw i32 {rows[0]}, {_ROWS * outer.width}"),
                Instruction(f"  br label %{head}"),
            ],
        }
        function.block(outer.outside).terminator.rename({f"%{outer.header.name}": f"%{begin}"})
        outer.phi.text = f"  {outer.phi.name} = phi i32 [ {rows[0]}, %{head} ], [ {outer.following}, %{outer.body.name} ]"
        position = function.blocks.index(outer.header)
        function.blocks[position:position] = [Block(name, made, f"{name}:") for name, made in blocks.items()]

    def _copies(
        self, instructions: list[Instruction], names: list[dict[str, str]], fresh: Callable[[str], str]
    ) -> list[Instruction]:
        """The instructions for each iteration with its ``names``, to which those of the results are added.

        What is the same in each is there once. What one stores the next takes as it is, where both do so in the same lanes.
        """
        found: list[Instruction] = []
        stored: dict[tuple[object, ...], tuple[str, str, Instruction]] = {}
        for known in names:
            for instruction in instructions:
                copy = Instruction(instruction.text)
                copy.rename(known)
                place = self.places.get(id(instruction))
                mask = "" if place is None else instruction.operands[-1].value
                previous = stored.get(place) if place is not None and self._is_one_mask(instruction) else None
                if instruction.name:
                    if previous is not None:
                        known[instruction.name] = previous[0]
                        continue
                    used = instruction.names_used()
                    if (
                        known is not names[0]
                        and place not in self.stored
                        and all(known.get(u) == names[0].get(u) for u in used)
                    ):
                        known[instruction.name] = names[0][instruction.name]
                        continue
                    known[instruction.name] = fresh("of.row")
                    copy.text = copy.text.replace(instruction.name, known[instruction.name], 1)
                elif place is not None:
                    if previous is not None:
                        found.remove(previous[2])
                    stored[place] = (copy.operands[0].value, mask, copy)
                found.append(copy)
        return found
