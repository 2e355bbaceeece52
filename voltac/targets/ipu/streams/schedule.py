"""A stream's body -> a pipelined loop on pairs of aux registers, by the modulo scheduler.

Accesses that share an instruction (``ldst64pace``, ``ld2x64pace``, ``ld2xst64pace``) issue together, the store some iterations
behind. In place they must be an odd number of words apart (IPU 5.2): of the odd numbers the one that gives the shortest kernel
is taken. ``f32v2axpy``, of halves ``f16v4mix``, returns what the one before it computed (IPU 3.7), so it is two operations:
what takes the operands, and what gives the result, which issues with the next iteration's first.
"""

from __future__ import annotations

from functools import lru_cache

from voltac.codegen.pipelining.copies import expand
from voltac.codegen.pipelining.loop import IssueResources, LoopGraph, LoopOperation, LoopValue, Order, ReadValue
from voltac.codegen.pipelining.modulo import ModuloSchedule
from voltac.codegen.pipelining.pipeline import PipelinedLoop, PipelineLimits, pipelined, write_out
from voltac.records import record
from voltac.targets.ipu.shapes import AUX, MAIN
from voltac.targets.ipu.streams.parts import part_loop
from voltac.targets.ipu.streams.placing import place_scalars, rest_pairs
from voltac.targets.ipu.streams.program import SCALED, StreamAccess, StreamProgram

_PIPES = IssueResources({MAIN: 1, AUX: 1})
_MAIN, _AUX = (((MAIN, 0),),), (((AUX, 0),),)
_WITH_ANOTHER = ((),)
LOAD, STORE, SUM, TAKES = "load", "store", "sum", " takes"
"""Names of operations: ``load 0``, of two instructions ``load 0.0`` and ``load 0.1``; ``sum 0``; a step has its result's name,
and ``v1 takes`` is what gives the operands to the one whose result is ``v1``."""
_LEADS = tuple(range(1, 10))
"""Words by which a load may be ahead. Chosen: beyond, registers do not suffice."""
_MOST_UNROLLED = 8
"""Iterations of a kernel. Chosen: four pairs of registers need no more."""


@record(eq=False)
class StreamPipeline:
    """The pipeline of a form of the code."""

    joined: tuple[int, ...]
    """The accesses of one instruction, by number: loads, then a store."""
    is_wide: bool
    """Whether 128 bits are loaded at a time."""
    is_naive: bool
    """Whether one operation comes after the other."""
    loop: PipelinedLoop
    quads: int
    """Quads of registers that stand before the pairs."""

    @property
    def form(self) -> str:
        """What the name of its function ends in."""
        kind = "naive" if self.is_naive else "wide" if self.is_wide else "plain"
        return ".".join([kind, *map(str, self.joined)])

    @property
    def interval(self) -> int:
        """Bundles of an iteration."""
        return self.loop.schedule.interval


@lru_cache(64)
def pipelines(program: StreamProgram, naive: bool = False) -> tuple[StreamPipeline, ...]:
    """From the shortest interval on; the last, where any is, has an instruction for each access and can run anywhere.

    A ``naive`` one is no pipeline: one operation comes after the other (IPU 5.1).
    """
    if program.has_parts:
        # The naive one is for the iterations that are left, too.
        loop, rest = part_loop(program, naive), part_loop(program, naive=True)
        return (StreamPipeline((), False, naive, loop, 0),) if loop is not None and rest is not None else ()
    if rest_pairs(program) is None:
        return ()
    if naive:
        return _naive(program)
    found: list[StreamPipeline] = []
    wide = [True, False] if any(load.kind == "quad" for load in program.loads) else [False]
    for is_wide in wide:
        for joined in [(), *_joins(program)] if not is_wide else [()]:
            made = _pipeline(program, joined, is_wide)
            if made is not None:
                found.append(made)
    kept = [made for made in found if not made.joined and not made.is_wide]
    for made in sorted(found, key=lambda one: (-one.interval, len(one.joined))):
        if kept and made.interval < kept[-1].interval:
            kept.append(made)
    return tuple(reversed(kept))


def _joins(program: StreamProgram) -> list[tuple[int, ...]]:
    """Accesses that one instruction may do."""
    loads = [number for number, load in enumerate(program.loads) if load.kind == "word"]
    stores = [number for number, store in enumerate(program.stores, len(program.loads)) if store.kind == "word"]
    found: list[tuple[int, ...]] = []
    if loads and stores:
        found.append((loads[-1], stores[0]))
    if len(loads) > 1:
        found.append((loads[0], loads[1]))
        if stores and not program.carries:
            found.append((loads[0], loads[1], stores[0]))
    # The steps of one instruction are one word, and another number of words.
    return [joined for joined in found if len({program.accesses[number].step for number in joined} - {1}) < 2]


def _pipeline(program: StreamProgram, joined: tuple[int, ...], is_wide: bool) -> StreamPipeline | None:
    pairs = place_scalars(program).pairs
    has_quads = len(joined) == 3 or any(load.kind == "quad" for load in program.loads)
    store = program.accesses[joined[-1]] if joined and joined[-1] >= len(program.loads) else None
    leads: tuple[int, ...] = (0,)
    if store is not None:
        is_odd = store.over in [program.accesses[number].value for number in joined[:-1]]
        leads = tuple(lead for lead in _LEADS if not is_odd or lead * store.step % 2)
    found: list[StreamPipeline] = []
    for quads in (1, 2) if has_quads else (0,):
        registers = {"a4": quads, "a2": pairs - 2 * quads}
        if min(registers.values()) < 0:
            continue
        for lead in leads:
            graph = _Graph(program, joined, is_wide, lead).graph()
            try:
                loop = pipelined(graph, PipelineLimits(_PIPES, registers, True, _MOST_UNROLLED))
            except ValueError:
                # The store would share its instruction with a load that it waits for.
                continue
            # What shares an instruction with a load is no part of filling, so nothing but the kernel has both.
            if loop is not None and (store is None or loop.before >= lead):
                found.append(StreamPipeline(joined, is_wide, False, loop, quads))
    return min(found, key=lambda one: (one.interval, one.loop.before + one.loop.unroll), default=None)


def _naive(program: StreamProgram) -> tuple[StreamPipeline, ...]:
    graph = _Graph(program, (), False, 0).graph()
    count = len(graph.operations)
    schedule = ModuloSchedule(graph, count, tuple(range(count)), (0,) * count)
    quads = int(any(load.kind == "quad" for load in program.loads))
    registers = expand(schedule, {"a4": quads, "a2": place_scalars(program).pairs - 2 * quads}, True, 1)
    return (StreamPipeline((), False, True, write_out(schedule, registers), quads),) if registers is not None else ()


class _Graph:
    def __init__(self, program: StreamProgram, joined: tuple[int, ...], is_wide: bool, lead: int) -> None:
        self.program = program
        self.joined = joined
        self.is_wide = is_wide
        self.lead = lead
        self.values: dict[str, tuple[LoopValue, int]] = {}
        """Where a name is, and how many iterations ago it was made."""
        self.carried: dict[str, LoopValue] = {}
        """By the name of what makes it, or its first half."""
        self.operations: list[LoopOperation] = []
        self.orders: list[Order] = []
        self.completes: dict[LoopValue, LoopOperation] = {}
        """What writes the second half of a value."""

    def graph(self) -> LoopGraph:
        program = self.program
        begins = {step.result: step.into for step in program.steps}
        for carry in program.carries:
            self.carried[begins.get(carry.new) or carry.new] = value = LoopValue(carry.new, "a2")
            self.values[carry.old] = (value, 1)
        for number, load in enumerate(program.loads):
            self._load(number, load)
        for step in program.steps:
            if step.into:
                value, _ = self.values[step.into]
                operation = self._add(step.result, _AUX, (step.into, *step.operands))
                self.completes[value] = operation
                self.values[step.result] = self.values[step.into]
            elif step.operation in SCALED.values():
                takes = self._add(step.result + TAKES, _AUX, step.operands)
                gives = self._add(step.result, _WITH_ANOTHER, (), (self._value(step.result),))
                self.orders += [Order(takes, gives, 0, -1), Order(gives, takes, 0, 1)]
            else:
                self._add(step.result, _AUX, step.operands, (self._value(step.result),))
        for number, one in enumerate(program.sums):
            operation = self._add(f"{SUM} {number}", _AUX, one.operands)
            self.orders.append(Order(operation, operation, 1, 1))
        for number, store in enumerate(program.stores):
            self._store(number, store)
        live_out = frozenset(self.values[carry.new][0] for carry in program.carries)
        return LoopGraph(tuple(self.operations), tuple(self.orders), live_out)

    def _value(self, name: str, kind: str = "a2") -> LoopValue:
        made = self.carried.get(name) or LoopValue(name, kind)
        self.values[name] = (made, 0)
        return made

    def _add(
        self,
        name: str,
        ways: tuple[tuple[tuple[str, int], ...], ...],
        reads: tuple[str, ...],
        defines: tuple[LoopValue, ...] = (),
    ) -> LoopOperation:
        read = [self.values[operand.partition(".")[0]] for operand in reads if operand[0] not in "sz"]
        operation = LoopOperation(name, ways, 1, defines, tuple(ReadValue(value, distance) for value, distance in read))
        self.operations.append(operation)
        for value, distance in read:
            if value in self.completes:
                self.orders.append(Order(self.completes[value], operation, 1, distance))
        return operation

    def _load(self, number: int, load: StreamAccess) -> None:
        if len(self.joined) == 3 and number in self.joined:
            if number == self.joined[0]:
                both = LoopValue("both", "a4")
                self._add(f"{LOAD} {number}", _MAIN, (), (both,))
                for each in self.joined[:2]:
                    self.values[self.program.loads[each].value] = (both, 0)
            return
        value = self._value(load.value, "a4" if load.kind == "quad" else "a2")
        if load.kind == "word" or (load.kind == "quad" and self.is_wide):
            if number in self.joined[1:2]:
                first = next(one for one in self.operations if one.name == f"{LOAD} {self.joined[0]}")
                second = self._add(f"{LOAD} {number}", _WITH_ANOTHER, (), (value,))
                self.orders += [Order(first, second, 0, 0), Order(second, first, 0, 0)]
            else:
                self._add(f"{LOAD} {number}", _MAIN, (), (value,))
            return
        first = self._add(f"{LOAD} {number}.0", _MAIN, (), (value,))
        second = self._add(f"{LOAD} {number}.1", _MAIN, (load.value,))
        self.completes[value] = second
        self.orders.append(Order(second, first, 1, 1))

    def _store(self, number: int, store: StreamAccess) -> None:
        at = len(self.program.loads) + number
        loads = [one for one in self.operations if one.name.startswith(LOAD)]
        if at in self.joined:
            operation = self._add(f"{STORE} {number}", _WITH_ANOTHER, (store.value,))
            load = next(one for one in loads if one.name == f"{LOAD} {self.joined[0]}")
            self.orders += [Order(load, operation, 0, -self.lead), Order(operation, load, 0, self.lead)]
            return
        if store.kind == "word":
            made = [self._add(f"{STORE} {number}", _MAIN, (store.value,))]
        else:
            made = [self._add(f"{STORE} {number}.{half}", _MAIN, (store.value,)) for half in (0, 1)]
            self.orders += [Order(made[0], made[1], 1), Order(made[1], made[0], 1, 1)]
        if store.over:
            # In place a word is read before it is written.
            self.orders += [Order(load, each, 0, 0) for load in loads for each in made]
