"""Loops in which each lane goes along a row of its own -> several elements of each row by one load, and a transposition.

    loop over k:   %x = gather at p + lane * width + k               sums of rows, with lanes a row apart
    ->
    loop over k by 4:   %r0 = load <4 x float>, ptr (lane 0 of p + lane * width) + k      x0 x1 x2 x3 of lane 0
                        ...                                                               of each lane
                        %x0, %x1, %x2, %x3 = elements 0, 1, 2, 3 of all rows
                        the body four times, with these
    then the loop over k for what is left

Where the loop only sums up in any order, the elements stay where they are (:mod:`voltac.passes.loops.row_sums`).

The lanes do in each iteration what they did before, in the same order. A block is begun only where all its iterations
are run, and nothing in the loop stores: so all that is loaded early is loaded anyway. A lane that is off loads
the row of one that is on.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.lane_values import LaneValues, lane_values
from voltac.ir.model import Instruction, Module
from voltac.options import Options
from voltac.passes.accesses.access import (
    Access,
    AccessReport,
    is_divisor,
    pseudo_operation,
    read_access,
)
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_rows import ROW_BYTES, ROW_SIZES, four_by_four, load_blocks, load_rows
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.facts.effects import ModuleEffects
from voltac.passes.loops.counted_loops import CountedLoop, IterationSteps
from voltac.passes.loops.iteration_blocks import ITERATIONS, IterationBlocks
from voltac.passes.loops.lane_counts import with_lanes
from voltac.passes.loops.row_sums import PART, RowSum, RowSums, SharedRow, row_sums

_MOST_INSTRUCTIONS = 60
"""Of a body, of which there are four more then. Chosen, not measured."""
_MOST_LANES = 32
"""Each lane's row has a register of its own, as far as there are some."""


def load_row_blocks(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the loads of rows."""
    rewriting = AccessRewriting(module, options)
    for function in rewriting.functions():
        flow = control_flow(function)
        values = lane_values(function, rewriting.layout)
        for loop in flow.loops:
            found = CountedLoop.of(function, loop, flow, values.definitions)
            if found is None or len(found.blocks) > 1 or not any(map(pseudo_operation, found.body.instructions)):
                continue
            rows = _rows(found, rewriting.effects, values)
            if rows:
                sums = row_sums(found, rows, values, options.target.vector_bits)
                emit = rewriting.emitter(function, values)
                if sums is None:
                    _Rows(found, rows, emit).write()
                else:
                    _Sums(found, rows, emit, sums).write()
                values = lane_values(function, rewriting.layout)
                for access in rows:
                    reason = f"one load a lane serves {ITERATIONS} iterations"
                    rewriting.report("shuffled", access, function, found.block_of(access.instruction), reason)
    return rewriting.finish()


def _rows(loop: CountedLoop, effects: ModuleEffects, values: LaneValues) -> list[Access]:
    """The loads of rows; none where the loop does what must not come later than they."""
    if len(loop.body.instructions) > _MOST_INSTRUCTIONS:
        return []
    steps = IterationSteps(loop, values.definitions, values.layout)
    found: list[Access] = []
    for index, instruction in enumerate((*loop.header.instructions, *loop.body.instructions)):
        if _has_effects(instruction, effects):
            return []
        if pseudo_operation(instruction) == "gather":
            access = read_access(index, instruction, "gather", values)
            if _is_row(access, loop) and steps.of(access.pointers) == access.size:
                found.append(access)
    return found


def _has_effects(instruction: Instruction, effects: ModuleEffects) -> bool:
    if instruction.op == "load":
        return "volatile" in instruction.parts.flags or bool(instruction.parts.ordering)
    if instruction.op == "call":
        return not is_divisor(instruction) and effects.effect(instruction.parts.callee) not in ("none", "read")
    return instruction.op in ("store", "atomicrmw", "cmpxchg", "fence")


def _is_row(access: Access, loop: CountedLoop) -> bool:
    """Whether the loads of the lanes could be of rows that have nothing to do with each other."""
    if access.size not in ROW_SIZES or access.lanes > _MOST_LANES or access.lanes % (ROW_BYTES // max(4, access.size)):
        return False
    if access.mask in loop.inside:
        return False
    if access.address is None:
        return True
    # Rows that lie close are better loaded whole, by what resolves accesses.
    apart = min(abs(after - before) for before, after in zip(access.offsets, access.offsets[1:]))
    return apart >= ITERATIONS * access.size


def _attachment(instruction: Instruction) -> str:
    attached = instruction.parts.metadata.get("dbg")
    return f", !dbg {attached}" if attached else ""


def places_after(done: str, firsts: list[str], element: str, emit: Emitter) -> list[str]:
    """Where rows go on behind so many elements."""
    return [emit.value("at", f"getelementptr {element}, ptr {each}, i64 {done}") for each in firsts]


class _Rows:
    """The new blocks of one loop."""

    def __init__(self, loop: CountedLoop, rows: list[Access], emit: Emitter, iterations: int = ITERATIONS) -> None:
        self.loop = loop
        self.rows = rows
        self.emit = emit
        self.blocks = IterationBlocks(loop, emit, iterations)

    def write(self) -> None:
        """Put them before the loop."""
        blocks = self.blocks
        pointers = self.begin()
        self.emit.line(f"br label %{blocks.test}")
        blocks.write_test()
        blocks.start(blocks.body)
        columns = [self._columns(access, firsts) for access, firsts in zip(self.rows, pointers)]
        now = blocks.now
        for number in range(ITERATIONS):
            now = self._iteration(now, {access.instruction.name: column[number] for access, column in zip(self.rows, columns)})
        blocks.write_end()
        blocks.put_in_place(now)

    def begin(self) -> list[list[str]]:
        """The blocks before the iterations but for the branch to them; of each access the pointers of all lanes."""
        emit, blocks = self.emit, self.blocks
        blocks.start(blocks.choice)
        masks = dict.fromkeys((access.mask, access.lanes) for access in self.rows if not access.all_on)
        blocks.write_choice([emit.any_on(mask, lanes) for mask, lanes in masks])
        blocks.start(blocks.begin)
        return [self._first_pointers(access, blocks.before(access.pointers)) for access in self.rows]

    def _first_pointers(self, access: Access, pointers: str) -> list[str]:
        """Of each lane's row; a lane that is off has that of one that is on."""
        emit, kind, lanes = self.emit, access.pointers.type, access.lanes
        if not access.all_on:
            bits = emit.value("bits", f"bitcast <{lanes} x i1> {access.mask} to i{lanes}")
            emit.declarations.add(f"i{lanes} @llvm.cttz.i{lanes}(i{lanes}, i1)")
            lane = emit.value("lane", f"call i{lanes} @llvm.cttz.i{lanes}(i{lanes} {bits}, i1 true)")
            one = emit.value("one", f"extractelement {kind} {pointers}, i{lanes} {lane}")
            pointers = emit.safe_pointers(kind, pointers, access.mask, one)
        return [emit.value("row", f"extractelement {kind} {pointers}, i64 {lane}") for lane in range(lanes)]

    def _columns(self, access: Access, firsts: list[str]) -> list[str]:
        """What the iterations of a block load."""
        emit = self.emit
        emit.attachment = _attachment(access.instruction)
        columns = load_rows(places_after(self.blocks.done, firsts, access.element, emit), access.element, access.size, emit)
        emit.attachment = ""
        return columns

    def _iteration(self, now: dict[str, str], loaded: dict[str, str]) -> dict[str, str]:
        """Write one, given the phis; what they are in the next one."""
        loop, emit = self.loop, self.emit
        renamed = now | loaded
        kept = [each for each in loop.header.instructions if each.op != "phi"]
        for instruction in (*kept[:-1], *loop.body.instructions[:-1]):
            if instruction.name in loaded or instruction.op.startswith("#"):
                continue
            again = Instruction(instruction.text)
            again.rename(renamed)
            if instruction.name:
                name = renamed[instruction.name] = emit.fresh("of.row")
                again.text = again.text.replace(instruction.name, name, 1)
            emit.output.append(again)
        following = {phi.name: loop.arm(phi, loop.body.name) for phi in loop.header.phis()}
        return {name: renamed.get(value, value) for name, value in following.items()}


class _Sums(_Rows):
    """The new blocks of a loop that only sums up in any order: parts of rows as they are, each to a sum of its own."""

    def __init__(self, loop: CountedLoop, rows: list[Access], emit: Emitter, found: RowSums) -> None:
        super().__init__(loop, rows, emit, found.count)
        self.found = found
        self.lanes = rows[0].lanes
        self.width = self.lanes * found.count // PART
        """Lanes of the sums of parts, of which there are as many as of what is left of a row."""
        self.given = {access.instruction.name for access in rows} | set(found.shared) | {each.phi.name for each in found.sums}

    def write(self) -> None:
        """Put them before the loop."""
        emit, blocks, sums = self.emit, self.blocks, self.found.sums
        pointers = self.begin()
        shared = [blocks.before(row.load.operands[0]) for row in self.found.shared.values()]
        emit.line(f"br label %{blocks.test}")
        blocks.write_test(folds=True)
        blocks.start(blocks.body)
        parted = {each.phi.name: [emit.fresh("parted") for _ in range(PART)] for each in sums}
        after = self._add(pointers, shared, blocks.done, parted)
        counter = self.loop.counter
        counted = emit.value("counted", f"add {counter.type} {blocks.now[counter.name]}, {self.found.count}")
        blocks.write_end()
        blocks.start_fold()
        parts: dict[str, list[str]] = parted
        if self.found.overlaps:
            last = emit.value("last", f"sub i64 {blocks.count}, {self.found.count}")
            parts = self._add(pointers, shared, last, parted)
            blocks.end_counter()
        for each in sums:
            blocks.results[each.phi.name] = self._total(each, parts[each.phi.name])
        blocks.write_fold_end()
        vector = f"<{self.width} x "
        more = [
            (name, f"{vector}{each.element}>", each.identity, following)
            for each in sums
            for name, following in zip(parted[each.phi.name], after[each.phi.name], strict=True)
        ]
        blocks.put_in_place({counter.name: counted} | {each.phi.name: blocks.now[each.phi.name] for each in sums}, more)

    def _add(
        self, pointers: list[list[str]], shared: list[str], done: str, parted: dict[str, list[str]]
    ) -> dict[str, list[str]]:
        """Add the parts that begin after so many elements; the sums behind that."""
        emit, count = self.emit, self.found.count
        loaded: dict[str, list[str]] = {}
        for access, firsts in zip(self.rows, pointers, strict=True):
            emit.attachment = _attachment(access.instruction)
            places = places_after(done, firsts, access.element, emit)
            loaded[access.instruction.name] = load_blocks(places, access.element, access.size, emit, count)
        emit.attachment = ""
        for (name, row), first in zip(self.found.shared.items(), shared, strict=True):
            loaded[name] = [self._shared(row, first, done)] * PART
        after: dict[str, list[str]] = {each.phi.name: [] for each in self.found.sums}
        for number in range(PART):
            now = {name: each[number] for name, each in (loaded | parted).items()}
            self._copy(now)
            for each in self.found.sums:
                after[each.phi.name].append(now[each.change.name])
        return after

    def _shared(self, row: SharedRow, first: str, done: str) -> str:
        """A part of a row that all lanes have, for each of the rows that a sum of parts has."""
        emit, count, element = self.emit, self.found.count, row.load.type
        (place,) = places_after(done, [first], element, emit)
        size = emit.values.layout.size(element)
        value = emit.load("shared", f"load <{count} x {element}>, ptr {place}, align {size}{_attachment(row.load)}")
        for cast in row.casts:
            value = emit.value("shared", f"{cast.op} <{count} x {element}> {value} to <{count} x {cast.type}>")
            element = cast.type
        return emit.shuffle(f"<{count} x {element}>", value, "poison", [*range(count)] * (self.width // count))

    def _copy(self, now: dict[str, str]) -> None:
        """Write what makes the sums of what is given; ``now`` gets the names."""
        emit, definitions = self.emit, self.emit.values.definitions
        needed: set[str] = set()
        work = [each.change.name for each in self.found.sums]
        while work:
            name = work.pop()
            if name in self.loop.inside and name not in self.given and name not in needed:
                needed.add(name)
                work += definitions[name].names_used()
        changes = {each.change.name for each in self.found.sums}
        for instruction in (*self.loop.header.instructions, *self.loop.body.instructions):
            if instruction.name not in needed:
                continue
            text = with_lanes(instruction.text, self.lanes, self.width) if self.width != self.lanes else instruction.text
            again = Instruction(text)
            again.rename(now)
            name = now[instruction.name] = emit.fresh("of.row")
            again.text = again.text.replace(instruction.name, name, 1)
            if instruction.name in changes and instruction.op == "add":
                # Sums of parts may be larger than the whole.
                again.text = again.text.replace(" nuw", "").replace(" nsw", "")
            if again.op == "call":
                parts = again.parts
                emit.declarations.add(f"{parts.type} {parts.callee}({', '.join(each.type for each in parts.operands)})")
            emit.output.append(again)

    def _total(self, each: RowSum, parts: list[str]) -> str:
        """What the parts of all rows come to, with what the sum was before."""
        emit, element, width, count = self.emit, each.element, self.width, self.found.count
        while count > PART:
            half, rows = count // 2, width // count
            kind, low = f"<{width} x {element}>", [row * count + at for row in range(rows) for at in range(half)]
            width, count = width // 2, half
            halves = [
                (emit.shuffle(kind, part, "poison", low), emit.shuffle(kind, part, "poison", [at + half for at in low]))
                for part in parts
            ]
            parts = [each.joined(first, second, width, emit) for first, second in halves]
        total = self.blocks.now[each.phi.name]
        for column in four_by_four(parts, element, self.lanes, emit):
            total = each.joined(total, column, self.lanes, emit)
        return total
