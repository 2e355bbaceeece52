"""A loop's body of device instructions as operations with dependences.

A virtual register that one instruction defines is a value, renamed from
iteration to iteration; others may change it behind that. Any other register
stays the one it is: its readers and writers keep their order, in an iteration
and from one to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from voltac.codegen.dependence import is_fence, may_meet, result_latency
from voltac.codegen.machine_code import AnyRegister, MachineInstruction, VirtualRegister
from voltac.codegen.pipelining.loop import LoopGraph, LoopOperation, LoopValue, Occupied, Order, ReadValue
from voltac.records import field, record

Ways = Callable[[MachineInstruction], tuple[Occupied, ...]]
"""What an instruction occupies, in each way it can issue."""
NO_SUMS: Mapping[AnyRegister, int] = {}
Distance = Callable[[MachineInstruction, MachineInstruction], int | None]
"""Iterations until the second of two accesses may touch what the first did; 0 for its own, None for never."""


@record(eq=False)
class LoopBody:
    """A loop and the instructions that it was made of, in the same order."""

    loop: LoopGraph
    instructions: tuple[MachineInstruction, ...]
    values: dict[AnyRegister, LoopValue] = field(default_factory=dict)


def always_next(first: MachineInstruction, second: MachineInstruction) -> int | None:
    """What holds of accesses where nothing is known of the next iteration: they may meet there if their objects may."""
    one, other = first.access, second.access
    if one and other and (one.space != other.space or (one.origin and other.origin and one.origin != other.origin)):
        return None
    return 1


def loop_of(
    instructions: Sequence[MachineInstruction],
    ways: Ways,
    reads_before_writes: bool,
    live_out: frozenset[AnyRegister] = frozenset(),
    distance: Distance = always_next,
    sums: Mapping[AnyRegister, int] = NO_SUMS,
) -> LoopBody:
    """The loop whose body these are. ValueError for an instruction that nothing may pass: such a loop is no pipeline.

    ``sums``: registers that one instruction adds to become values, each of so many iterations before: partial sums in turn.
    """
    for instruction in instructions:
        if is_fence(instruction):
            raise ValueError(f"{instruction} does not overlap with other iterations")
    written: dict[AnyRegister, int] = {}
    for instruction in instructions:
        for register in instruction.writes():
            written[register] = written.get(register, 0) + 1
    updated = {register for one in instructions for register in one.writes() if register in one.reads()}
    changed = {register for register, times in written.items() if times > 1 and _is_completed(register, instructions)}
    values: dict[AnyRegister, LoopValue] = {
        register: LoopValue(str(register), register.kind)
        for register, times in written.items()
        if isinstance(register, VirtualRegister)
        and ((times == 1 and (register not in updated or register in sums)) or register in changed)
    }
    operations: list[LoopOperation] = []
    made: set[AnyRegister] = set()
    for instruction in instructions:
        reads = tuple(
            ReadValue(values[register], 0 if register in made else sums.get(register, 1))
            for register in instruction.reads()
            if register in values
        )
        defines = tuple(values[register] for register in instruction.writes() if register in values and register not in made)
        made.update(instruction.writes())
        operations.append(LoopOperation(str(instruction), ways(instruction), instruction.row.latency, defines, reads))
    orders = [
        *_register_orders(instructions, operations, values, reads_before_writes),
        *_completions(instructions, operations, changed, reads_before_writes),
        *_memory_orders(instructions, operations, distance, reads_before_writes),
    ]
    kept = frozenset(value for register, value in values.items() if register in live_out)
    return LoopBody(LoopGraph(tuple(operations), tuple(orders), kept), tuple(instructions), values)


def _is_completed(register: AnyRegister, instructions: Sequence[MachineInstruction]) -> bool:
    """Whether a register is made once in an iteration, before anybody reads it, and then only changed."""
    first = next(one for one in instructions if register in one.writes() or register in one.reads())
    later = [one for one in instructions if register in one.writes() and one is not first]
    return (
        isinstance(register, VirtualRegister)
        and register not in first.reads()
        and all(register in one.reads() for one in later)
    )


def _completions(
    instructions: Sequence[MachineInstruction],
    operations: Sequence[LoopOperation],
    changed: set[AnyRegister],
    reads_before_writes: bool,
) -> list[Order]:
    """The order of readers and of those that change a value, which is in one place."""
    found = []
    for second, other in enumerate(instructions):
        for first in range(second):
            one = instructions[first]
            for register in changed:
                if register in one.writes() and register in one.reads() and register in other.reads():
                    found.append(Order(operations[first], operations[second], result_latency(one, register)))
                elif register in one.reads() and register in other.writes():
                    found.append(Order(operations[first], operations[second], 0 if reads_before_writes else 1))
    return found


def _register_orders(
    instructions: Sequence[MachineInstruction],
    operations: Sequence[LoopOperation],
    values: dict[AnyRegister, LoopValue],
    reads_before_writes: bool,
) -> list[Order]:
    found = []
    for first, one in enumerate(instructions):
        for second, other in enumerate(instructions):
            cycles = -1
            for register in one.writes():
                if register in values:
                    continue
                latency = result_latency(one, register)
                if register in other.reads():
                    cycles = max(cycles, latency)
                if register in other.writes():
                    cycles = max(cycles, 1, latency - result_latency(other, register) + 1)
            if any(register in other.writes() for register in one.reads() if register not in values):
                cycles = max(cycles, 0 if reads_before_writes else 1)
            if cycles >= 0 and (first != second or cycles):
                found.append(Order(operations[first], operations[second], cycles, int(first >= second)))
    return found


def _memory_orders(
    instructions: Sequence[MachineInstruction],
    operations: Sequence[LoopOperation],
    distance: Distance,
    reads_before_writes: bool,
) -> list[Order]:
    found = []
    # What is loaded in advance waits for nobody: it is checked later.
    accesses = [
        number
        for number, one in enumerate(instructions)
        if not one.row.traits.isdisjoint(("load", "store")) and "advanced" not in one.row.traits
    ]
    for first in accesses:
        for second in accesses:
            one, other = instructions[first], instructions[second]
            if "store" not in one.row.traits and "store" not in other.row.traits:
                continue
            cycles = 0 if reads_before_writes and "store" not in one.row.traits else 1
            if first < second and may_meet(one, other):
                found.append(Order(operations[first], operations[second], cycles, 0))
            far = distance(one, other)
            if far:
                found.append(Order(operations[first], operations[second], cycles, far))
    return found
