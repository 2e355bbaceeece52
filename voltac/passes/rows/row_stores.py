"""Loops around gangs whose lanes each store, or load, the next element of a row of their own, or the one before -> four
iterations at a time, and a row of four elements by one store or load.

    for y:  foreach x:  a[x * height + y] = b[y * width + x]          a transpose: lanes are a row apart
    ->
    for y by 4:  foreach x:  %v0 .. %v3 = what is stored for y .. y + 3
                             store <4 x float> (elements of lane 0 of %v0 .. %v3), at lane 0 of a + x * height + y
                             ...                                                                of each lane
    then the loop over y for what is left

Everything that depends on y stands four times then, in place. So of one gang four iterations are done before the next gang:
nothing that is loaded may be stored to in the loop, and no two rows may meet within four elements, which the loop
asks before it begins: rows are a number of elements apart that is the same for all of them. Where an iteration goes on with
what the one before computed, as sums along rows do, the four are done one after the other between the loads and the stores.
Where whole gangs are stored, to lines that iterations step over (``a[y * width + x] = b[x * height + y]``), lines must be as
far apart as the foreach is long.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.ir import marks
from voltac.ir.cfg import ControlFlow, control_flow
from voltac.ir.lane_values import lane_values
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.options import Options
from voltac.passes.accesses.access import Access, AccessReport, pseudo_operation
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_rows import INTERLEAVED_LANES, ROW_BYTES, load_rows, store_rows
from voltac.passes.accesses.rewriting import AccessRewriting
from voltac.passes.loops.copied_blocks import unquoted
from voltac.passes.loops.counted_loops import CountedLoop
from voltac.passes.loops.iteration_blocks import ITERATIONS, IterationBlocks
from voltac.passes.loops.row_jams import MOST_INSTRUCTIONS, RowJam, StoredRow
from voltac.target_info import TargetInfo


def store_row_blocks(module: Module, options: Options) -> list[AccessReport]:
    """Rewrite the module; the reports are of the stores of rows."""
    rewriting = AccessRewriting(module, options)
    for function in rewriting.functions("scatter"):
        looked_at: set[str] = set()
        while (found := _next_loop(function, looked_at)) is not None:
            values = lane_values(function, rewriting.layout)
            jam = RowJam(*found, rewriting.effects, values)
            if jam.gains():
                stored = [row.access for row in jam.rows.values()]
                loaded = [access for access, _ in jam.loads.values()]
                for access in (*stored, *loaded):
                    reason = f"one {'store' if access.is_store else 'load'} a lane serves {ITERATIONS} iterations"
                    rewriting.report("shuffled", access, function, found[0].block_of(access.instruction), reason)
                emitter = rewriting.emitter(function, values)
                _Writer(jam, emitter, options.target).write()
                emitter.finish()
    return rewriting.finish()


def _next_loop(function: Function, looked_at: set[str]) -> tuple[CountedLoop, ControlFlow] | None:
    """A counted loop that is not too long and has such stores in it; outer ones first."""
    flow = control_flow(function)
    definitions: dict[str, Instruction] = {}
    blocks = {block.name: block for block in function.blocks}
    for loop in flow.loops:
        if loop.header in looked_at:
            continue
        looked_at.add(loop.header)
        instructions = [each for name in loop.blocks for each in blocks[name].instructions]
        if len(instructions) > MOST_INSTRUCTIONS or not any(pseudo_operation(each) == "scatter" for each in instructions):
            continue
        definitions = definitions or function.definitions()
        found = CountedLoop.of(function, loop, flow, definitions)
        if found is not None and not marks.is_left_over(found.body.name):
            return found, flow
    return None


class _Writer:
    """The new blocks of one loop."""

    def __init__(self, jam: RowJam, emit: Emitter, target: TargetInfo) -> None:
        self.halves = has_halves(target)
        self.jam = jam
        self.loop = jam.loop
        self.emit = emit
        names = [each.name for block in (jam.loop.header, *jam.loop.blocks) for each in block.instructions if each.name]
        labels = {f"%{block.name}": emit.fresh(f"{unquoted(block.name)}.rows") for block in jam.loop.blocks}
        once = labels | {name: emit.fresh("of.rows") for name in names if name not in jam.varying}
        self.labels = labels
        self.names = [once | {name: emit.fresh("of.row") for name in names if name in jam.varying} for _ in range(ITERATIONS)]
        """Of each of the four iterations: what the loop had -> what it has."""

    def write(self) -> None:
        """Put them before the loop."""
        loop, emit = self.loop, self.emit
        blocks = IterationBlocks(loop, emit)
        blocks.start(blocks.choice)
        strides = {row.stride.value: Operand(row.stride.type, blocks.before(row.stride)) for row in self.jam.rows.values()}
        asked = [self._is_apart(each) for each in strides.values() if each.value[0] == "%"]
        lines = {line.stride.value: line.stride for line in self.jam.lines}
        blocks.write_choice([*asked, *(self._are_lines(blocks, each) for each in lines.values())])
        blocks.start(blocks.begin)
        wide = {name: self._wide(stride) for name, stride in strides.items()}
        multiples = {
            (row.stride.value, step): self._multiple(wide[row.stride.value], step)
            for row in self.jam.rows.values()
            for step in self._steps(row)
        }
        emit.line(f"br label %{blocks.test}")
        blocks.write_test()
        blocks.start(blocks.body)
        counter = loop.counter
        for number, names in enumerate(self.names):
            names[f"%{loop.header.name}"] = f"%{blocks.body}"
            start = blocks.now[counter.name]
            names[counter.name] = emit.value("of.row", f"add nsw {counter.type} {start}, {number}") if number else start
        if self.jam.carries:
            self._write_in_turn(blocks, multiples)
            return
        for instruction in loop.header.instructions[1:-1]:
            self._copy(instruction)
        emit.line(f"br label {self.labels[f'%{loop.header.terminator.parts.labels[0]}']}")
        for block in [*(each for each in loop.blocks if each is not loop.body), loop.body]:
            blocks.start(self.labels[f"%{block.name}"][1:])
            for instruction in block.instructions:
                if id(instruction) in self.jam.rows:
                    self._store(self.jam.rows[id(instruction)], multiples)
                elif block is not loop.body or not instruction.is_terminator:
                    self._copy(instruction)
        blocks.write_end()
        following = loop.arm(counter, loop.body.name)
        blocks.put_in_place({counter.name: self.names[-1][following]})

    def _write_in_turn(self, blocks: IterationBlocks, multiples: dict[tuple[str, int], str]) -> None:
        """The body of one block, one iteration after the other, each with what the one before hands on; then the stores."""
        loop, emit = self.loop, self.emit
        phis = list(loop.header.phis())
        carried = [phi for phi in phis if phi is not loop.counter]
        work = [each for each in loop.header.instructions[:-1] if each.op != "phi"]
        emit.line(f"br label {self.labels[f'%{loop.body.name}']}")
        blocks.start(self.labels[f"%{loop.body.name}"][1:])
        for phi in carried:
            self.names[0][phi.name] = blocks.now[phi.name]
        for number, names in enumerate(self.names):
            for instruction in (*work, *loop.body.instructions[:-1]):
                if id(instruction) not in self.jam.rows and (number == 0 or id(instruction) not in self.jam.loads):
                    self._copy(instruction, (number,))
            following = {phi.name: names.get(value, value) for phi in phis for value in (loop.arm(phi, loop.body.name),)}
            if names is not self.names[-1]:
                self.names[number + 1] |= {phi.name: following[phi.name] for phi in carried}
        for row in self.jam.rows.values():
            self._store(row, multiples)
        blocks.write_end()
        blocks.put_in_place(following)

    def _is_apart(self, stride: Operand) -> str:
        """Whether rows are as many elements apart as iterations are done at a time, or more, in either direction."""
        emit, most = self.emit, ITERATIONS - 1
        moved = emit.value("apart", f"add {stride.type} {stride.value}, {most}")
        return emit.value("apart", f"icmp ugt {stride.type} {moved}, {2 * most}")

    def _are_lines(self, blocks: IterationBlocks, stride: Operand) -> str:
        """Whether lines are as many elements apart as the foreach goes over, or more, in either direction."""
        emit, gangs = self.emit, self.jam.gangs
        assert gangs is not None
        first, end = (self._wide(Operand("i32", blocks.before(Operand("i32", each)))) for each in (gangs.loop.start, gangs.end))
        extent = emit.value("extent", f"sub i64 {end}, {first}")
        apart = self._wide(Operand(stride.type, blocks.before(stride)))
        moved = emit.value("apart", f"add i64 {apart}, {extent}")
        back = emit.value("back", f"icmp sle i64 {moved}, 0")
        return emit.value("far", f"or i1 {back}, {emit.value('far', f'icmp sge i64 {apart}, {extent}')}")

    def _load(self, access: Access, descends: bool) -> None:
        """The four elements of the rows."""
        emit, name = self.emit, access.instruction.name
        iterations = self.names[::-1] if descends else self.names
        pointers, kind = iterations[0][access.pointers.value], access.pointers.type
        attached = access.instruction.parts.metadata.get("dbg")
        emit.attachment = f", !dbg {attached}" if attached else ""
        if not access.all_on:
            pointers = emit.safe_pointers(kind, pointers, self.names[0].get(access.mask, access.mask), emit.nowhere())
        places = [emit.lane(kind, pointers, lane) for lane in range(access.lanes)]
        for names, column in zip(iterations, load_rows(places, access.element, access.size, emit, packed=True), strict=True):
            names[name] = column
        emit.attachment = ""

    def _copy(self, instruction: Instruction, numbers: Sequence[int] = range(ITERATIONS)) -> None:
        """For some of the iterations; what is the same in each is there for the first one."""
        if instruction.op[0] == "#":
            return
        if id(instruction) in self.jam.loads:
            self._load(*self.jam.loads[id(instruction)])
            return
        depends = instruction.name in self.jam.varying or not self.jam.varying.isdisjoint(instruction.names_used())
        for number in numbers if depends else (0,) if 0 in numbers else ():
            names = self.names[number]
            again = Instruction(instruction.text)
            again.rename(names)
            if instruction.name:
                again.text = again.text.replace(instruction.name, names[instruction.name], 1)
            self.emit.output.append(again)

    def _steps(self, row: StoredRow) -> list[int]:
        """From the place of lane 0 to those of the others; none where they are not known."""
        found = self.jam.values.of(row.place)
        return [] if found is None or not row.access.all_on else [each - found.offsets[0] for each in found.offsets]

    def _wide(self, stride: Operand) -> str:
        """As 64 bits."""
        if stride.type == "i64" or stride.value[0] != "%":
            return stride.value
        return self.emit.value("wide", f"sext {stride.type} {stride.value} to i64")

    def _multiple(self, stride: str, step: int) -> str:
        return self.emit.value("apart", f"mul i64 {stride}, {step}") if stride[0] == "%" else str(int(stride) * step)

    def _is_in_order(self, row: StoredRow, steps: list[int]) -> bool:
        """Whether rows of four elements fill two halves of registers one after the other."""
        return (
            self.halves
            and row.access.size == ROW_BYTES // ITERATIONS
            and row.stride.value == str(ITERATIONS)
            and steps == list(range(INTERLEAVED_LANES))
        )

    def _store(self, row: StoredRow, multiples: dict[tuple[str, int], str]) -> None:
        access, emit = row.access, self.emit
        attached = access.instruction.parts.metadata.get("dbg")
        emit.attachment = f", !dbg {attached}" if attached else ""
        iterations = self.names[::-1] if row.descends else self.names
        pointers = iterations[0][access.pointers.value]
        kind, element = access.pointers.type, access.element
        steps = self._steps(row)
        first = emit.value("row", f"extractelement {kind} {pointers}, i64 0") if steps else ""

        def places(number: int) -> list[str]:
            if steps:
                start = emit.value("row", f"getelementptr {element}, ptr {first}, i64 {number}") if number else first
                return [
                    emit.value("row", f"getelementptr {element}, ptr {start}, i64 {multiples[row.stride.value, step]}")
                    for step in steps
                ]
            moved = emit.value("rows", f"getelementptr {element}, {kind} {pointers}, i64 {number}") if number else pointers
            if not access.all_on:
                mask = self.names[0].get(access.mask, access.mask)
                moved = emit.safe_pointers(kind, moved, mask, emit.discard())
            return [emit.lane(kind, moved, lane) for lane in range(access.lanes)]

        columns = [names.get(access.value, access.value) for names in iterations]
        store_rows(columns, places, element, access.size, emit, self._is_in_order(row, steps))
        emit.attachment = ""
