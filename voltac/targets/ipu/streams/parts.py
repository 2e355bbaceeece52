"""Streams of halves that lie between words: their schedule, operations of the aux pipe one behind the other, scalars on demand.

Neighbours in an array of halves are no words: ``roll16`` makes them of words of 32 bits (IPU 3.6), which one pointer leads to.
The aux pipe has an operation in every bundle, and what the main pipe brings comes as late as it can, scalars included, each
time that one is used: so few registers are taken that a stencil has enough.
"""

from __future__ import annotations

from collections.abc import Sequence

from voltac.codegen.pipelining.copies import RegisterCopies, expand
from voltac.codegen.pipelining.loop import Edge, LoopGraph, LoopOperation, LoopValue, Order, ReadValue
from voltac.codegen.pipelining.modulo import ModuloSchedule
from voltac.codegen.pipelining.pipeline import PipelinedLoop, write_out
from voltac.records import replace
from voltac.targets.ipu.shapes import AUX, MAIN
from voltac.targets.ipu.streams.placing import COMMUTATIVE, PAIRS
from voltac.targets.ipu.streams.program import PART, PARTS, StreamCarry, StreamProgram, StreamStep

_MAIN, _AUX = (((MAIN, 0),),), (((AUX, 0),),)
SCALAR, NEXT = "scalar", "next"
"""Names of operations: ``scalar s0 v1`` loads what ``v1`` multiplies by, ``next 0`` moves the pointer of parts on."""
LOAD, STORE = "load", "store"
ROLL_PAIR = "roll32"
WORD_PARTS = 2
_PAIR, _SINGLE = "a2", "a1"
_SPLITS = ((3, 2), (2, 4))
"""Pairs of registers, and single ones."""
_MOST_MORE, _MOST_UNROLLED = 4, 4
"""Bundles beyond the bound, and iterations of a kernel, that are tried. Chosen: more make no room."""


def depth_first(program: StreamProgram) -> StreamProgram:
    """Each value right before what needs it, so that few live at a time."""
    made = {step.result: step for step in program.steps}
    order: dict[str, StreamStep] = {}
    # Between the halves of a pair that is kept, what it was is read.
    behind: dict[str, list[str]] = {}
    for step in program.steps:
        if step.operation == ROLL_PAIR:
            begun = step.operands[1]
            behind[begun] = [step.result, *(other.result for other in program.steps if other.into == begun)]

    def visit(operand: str) -> None:
        name = operand.partition(".")[0]
        step = made.get(name)
        if step is not None and name not in order:
            for needed in (step.into, *step.operands):
                visit(needed)
            order[name] = step
            for other in behind.get(name, ()):
                visit(other)

    for store in program.stores:
        visit(store.value)
    return replace(program, steps=tuple(order.values()))


def _has_room(program: StreamProgram) -> bool:
    """Whether scalars are operands that can be broadcast, which others need pairs for."""
    return all(
        step.operation[5:] in COMMUTATIVE and (step.operands[0][0] == "s") != (step.operands[1][0] == "s")
        for step in program.steps
        if any(name[0] == "s" for name in step.operands)
    )


def part_loop(program: StreamProgram, naive: bool) -> PipelinedLoop | None:
    """The shortest loop that registers suffice for; ``naive``: no bundle has two operations, no iteration meets another."""
    if not _has_room(program):
        return None
    body = _Body(program)
    count = len(body.order)
    if naive:
        return _written(ModuloSchedule(body.graph, count, body.times(dict(zip(body.order, range(count)))), (0,) * count), 1)
    least = max(len(body.aux), count - len(body.aux))
    for interval in range(least, least + _MOST_MORE):
        times = body.places(interval)
        if times is not None:
            loop = _written(ModuloSchedule(body.graph, interval, times, (0,) * count), _MOST_UNROLLED)
            if loop is not None:
                return loop
    return None


def _written(schedule: ModuloSchedule, unrolled: int) -> PipelinedLoop | None:
    ways = (expand(schedule, {_PAIR: pairs, _SINGLE: singles}, True, unrolled) for pairs, singles in _SPLITS)
    # What is kept is changed half by half, so it is where it was.
    kept = schedule.loop.live_out
    found = (
        one
        for one in ways
        if one is not None and all(len({one.of(each, at) for at in range(one.unroll)}) == 1 for each in kept)
    )
    copies: RegisterCopies | None = next(found, None)
    return write_out(schedule, copies) if copies is not None else None


class _Body:
    """The operations of an iteration."""

    def __init__(self, program: StreamProgram) -> None:
        self.values: dict[str, LoopValue] = {}
        self.order: list[LoopOperation] = []
        """One after the other."""
        self.aux: list[LoopOperation] = []
        self.second: dict[LoopValue, LoopOperation] = {}
        """What writes the second half of a value."""
        orders: list[Order] = []
        loads = {load.value: number for number, load in enumerate(program.loads)}
        parts: dict[str, list[tuple[LoopOperation, int]]] = {load.value: [] for load in program.loads if load.kind == PARTS}
        moved: dict[str, LoopOperation] = {}
        kept = {begun: carry for carry in program.carries for begun in _begun(program, carry)}
        for step in program.steps:
            if step.operation == PART:
                access, number = step.operands
                if is_behind(int(number)) and access not in moved:
                    moved[access] = self._add(f"{NEXT} {loads[access]}", _MAIN, (), "")
                read, makes = ([step.into], "") if step.into else ([], step.result)
                part = self._add(step.result, _MAIN, read, makes)
                parts[access].append((part, int(number)))
                self._complete(step, part)
                continue
            for name in names_read(step):
                base = name.partition(".")[0]
                if base in loads and base not in self.values:
                    self._add(f"{LOAD} {loads[base]}", _MAIN, (), base)
                if name[0] == "s":
                    self._add(f"{SCALAR} {name} {step.result}", _MAIN, (), f"{name}@{step.result}")
            read = [f"{name}@{step.result}" if name[0] == "s" else name.partition(".")[0] for name in names_read(step)]
            operation = self._add(step.result, _AUX, read, "" if step.into else step.result, kept.get(step.result))
            self.aux.append(operation)
            orders += self._waits(operation)
            self._complete(step, operation)
        for index, store in enumerate(program.stores):
            operation = self._add(f"{STORE} {index}", _MAIN, [store.value], "")
            orders += self._waits(operation)
        for name, each in parts.items():
            if len(each) == 1:
                # Loading it moves the pointer on.
                continue
            moves = moved.get(name) or self._add(f"{NEXT} {loads[name]}", _MAIN, (), "")
            for part, at in each:
                if is_behind(at):
                    orders += [Order(moves, part, 1), Order(part, moves, 1, 1)]
                else:
                    orders += [Order(part, moves, 1), Order(moves, part, 1, 1)]
        self.graph = LoopGraph(tuple(self.order), tuple(orders), frozenset(self.values[each] for each in kept))
        self.edges = self.graph.edges()

    def _add(
        self,
        name: str,
        ways: tuple[tuple[tuple[str, int], ...], ...],
        read: Sequence[str],
        makes: str,
        carry: StreamCarry | None = None,
    ) -> LoopOperation:
        defines: tuple[LoopValue, ...] = ()
        reads = [ReadValue(self.values[one]) for one in read]
        if makes:
            value = LoopValue(carry.new if carry else makes, _SINGLE if is_single(makes) else _PAIR)
            self.values[makes] = value
            defines = (value,)
            if carry is not None:
                # It is there until it is changed.
                self.values[carry.old] = value
                reads.append(ReadValue(value, 1))
        operation = LoopOperation(name, ways, 1, defines, tuple(reads))
        self.order.append(operation)
        return operation

    def _complete(self, step: StreamStep, operation: LoopOperation) -> None:
        if step.into:
            self.values[step.result] = self.values[step.into]
            self.second[self.values[step.into]] = operation

    def _waits(self, operation: LoopOperation) -> list[Order]:
        """For both halves of what it reads."""
        return [Order(self.second[read.value], operation, 1) for read in operation.reads if read.value in self.second]

    def times(self, issue: dict[LoopOperation, int]) -> tuple[int, ...]:
        """By number, the first is 0."""
        first = min(issue.values())
        return tuple(issue[operation] - first for operation in self.order)

    def places(self, interval: int) -> tuple[int, ...] | None:
        """When all issue, the aux pipe in order; None where the main pipe has no room."""
        issue = {operation: time for time, operation in enumerate(self.aux)}
        taken: set[int] = set()
        for number, operation in reversed([*enumerate(self.order)]):
            if operation not in issue and not operation.name.startswith((STORE, NEXT)):
                # What is loaded comes right before its first reader, or when the main pipe has room before.
                latest = [issue[after] - edge.cycles for after, edge in self._after(number) if after in issue]
                self._take(operation, min(latest), -1, interval, issue, taken)
        for number, operation in sorted(enumerate(self.order), key=lambda one: not one[1].name.startswith(STORE)):
            if operation not in issue:
                makers = [self.order[edge.before] for edge in self.edges if edge.after == number and not edge.distance]
                self._take(operation, max(issue[one] for one in makers) + 1, 1, interval, issue, taken)
        for edge in self.edges:
            before, after = issue[self.order[edge.before]], issue[self.order[edge.after]]
            if after < before + edge.cycles - interval * edge.distance:
                return None
        return self.times(issue)

    def _after(self, number: int) -> list[tuple[LoopOperation, Edge]]:
        """What an operation comes before, in its iteration."""
        return [(self.order[edge.after], edge) for edge in self.edges if edge.before == number and not edge.distance]

    def _take(
        self, operation: LoopOperation, time: int, step: int, interval: int, issue: dict[LoopOperation, int], taken: set[int]
    ) -> None:
        while time % interval in taken:
            time += step
        taken.add(time % interval)
        issue[operation] = time


def _begun(program: StreamProgram, carry: StreamCarry) -> list[str]:
    """The first half of what is carried."""
    return [step.into for step in program.steps if step.result == carry.new]


def is_behind(part: int) -> bool:
    """Whether the pointer has moved on when a part is loaded, which is in the word behind then: so both have more room."""
    return part >= WORD_PARTS


def names_read(step: StreamStep) -> list[str]:
    """What a step reads, in the order of its operation's reads."""
    return [name for name in (step.into, *step.operands) if name and name != "z"]


def is_single(name: str) -> bool:
    """Whether it is one register: a word of two halves, or a scalar."""
    return name[0] in "hs"


def single_register(number: int) -> str:
    """Single registers are the highest ones."""
    return f"$a{2 * PAIRS - 1 - number}"
