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
from voltac.ir.types import element_of, lanes_of
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
from voltac.passes.loops.row_sums import IDENTITIES, row_sums

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
                sums = row_sums(found, rows, values.definitions, options.target.vector_bits)
                _Rows(found, rows, rewriting.emitter(function, values), sums).write()
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


class _Rows:
    """The new blocks of one loop."""

    def __init__(self, loop: CountedLoop, rows: list[Access], emit: Emitter, sums: list[Instruction]) -> None:
        self.loop = loop
        self.rows = rows
        self.emit = emit
        self.sums = sums
        """The phis, if the loop does nothing but sum up in any order."""

    def write(self) -> None:
        """Put them before the loop."""
        emit = self.emit
        blocks = IterationBlocks(self.loop, emit)
        blocks.start(blocks.choice)
        masks = dict.fromkeys((access.mask, access.lanes) for access in self.rows if not access.all_on)
        blocks.write_choice([emit.any_on(mask, lanes) for mask, lanes in masks])
        blocks.start(blocks.begin)
        pointers = [self._first_pointers(access, blocks.before(access.pointers)) for access in self.rows]
        emit.line(f"br label %{blocks.test}")
        blocks.write_test(folds=bool(self.sums))
        blocks.start(blocks.body)
        columns = [self._columns(access, firsts, blocks.done) for access, firsts in zip(self.rows, pointers)]
        if self.sums:
            self._sum_up(blocks, columns)
            return
        now = blocks.now
        for number in range(ITERATIONS):
            now = self._iteration(now, {access.instruction.name: column[number] for access, column in zip(self.rows, columns)})
        blocks.write_end()
        blocks.put_in_place(now)

    def _sum_up(self, blocks: IterationBlocks, parts: list[list[str]]) -> None:
        """Parts of rows as they are, each to a sum of its own, with what follows."""
        emit = self.emit
        parted = {phi.name: [emit.fresh("parted") for _ in range(ITERATIONS)] for phi in self.sums}
        after: dict[str, list[str]] = {phi.name: [] for phi in self.sums}
        now = blocks.now
        for number in range(ITERATIONS):
            given = {access.instruction.name: part[number] for access, part in zip(self.rows, parts)}
            now = self._iteration(now | {name: each[number] for name, each in parted.items()}, given)
            for name, each in after.items():
                each.append(now[name])
        added = {name for names in after.values() for name in names}
        for instruction in emit.output:
            if instruction.name in added and instruction.op == "add":
                # Sums of parts may be larger than the whole.
                instruction.text = instruction.text.replace(" nuw", "").replace(" nsw", "")
        blocks.write_end()
        blocks.start_fold()
        for phi in self.sums:
            lanes, add = phi.type, self.loop.arm(phi, self.loop.body.name)
            made = emit.values.definitions[add]
            operation = " ".join((made.op, *made.parts.flags)) if made.op == "fadd" else made.op
            columns = four_by_four(parted[phi.name], element_of(lanes), lanes_of(lanes), emit)
            total = blocks.now[phi.name]
            for column in columns:
                total = emit.value("total", f"{operation} {lanes} {total}, {column}")
            blocks.results[phi.name] = total
        blocks.write_fold_end()
        more = [
            (name, phi.type, IDENTITIES[element_of(phi.type)], following)
            for phi in self.sums
            for name, following in zip(parted[phi.name], after[phi.name])
        ]
        blocks.put_in_place(now | {phi.name: blocks.now[phi.name] for phi in self.sums}, more)

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

    def _columns(self, access: Access, firsts: list[str], done: str) -> list[str]:
        """What the iterations of a block load."""
        emit = self.emit
        attached = access.instruction.parts.metadata.get("dbg")
        emit.attachment = f", !dbg {attached}" if attached else ""
        pointers = [emit.value("at", f"getelementptr {access.element}, ptr {each}, i64 {done}") for each in firsts]
        load = load_blocks if self.sums else load_rows
        columns = load(pointers, access.element, access.size, emit)
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
