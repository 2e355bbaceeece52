"""The code of a pipelined loop: a prologue that fills it, a kernel that repeats, an epilogue that drains it.

With registers that rotate and operations under stage predicates the kernel
alone is the loop: :mod:`voltac.codegen.pipelining.rotation` has its names, the
schedule its stages.
"""

from __future__ import annotations

from voltac.codegen.pipelining.copies import RegisterCopies, expand
from voltac.codegen.pipelining.loop import IssueResources, LoopGraph, LoopOperation
from voltac.codegen.pipelining.modulo import ModuloSchedule, schedules
from voltac.records import record


@record
class Issue:
    """An operation at its place in the code."""

    operation: LoopOperation
    iteration: int
    """In the prologue counted from the first; in the kernel from the one that its first pass begins; in the epilogue from the
    first that is not executed, so all are negative."""
    way: int
    """Which of the operation's ways."""
    writes: tuple[int, ...]
    """Registers of what it defines, by register class counted from 0."""
    reads: tuple[int, ...]
    """Registers of what it reads, in the operation's order."""


Cycles = list[list[Issue]]


@record(eq=False)
class PipelinedLoop:
    """Cycles of a loop that executes ``before + unroll * k`` iterations for k passes of the kernel."""

    schedule: ModuloSchedule
    registers: RegisterCopies
    prologue: Cycles
    kernel: Cycles
    epilogue: Cycles

    @property
    def before(self) -> int:
        """Iterations that prologue and epilogue alone do; a loop of fewer does not come here."""
        return self.schedule.stages - 1

    @property
    def unroll(self) -> int:
        """Iterations of one pass of the kernel."""
        return self.registers.unroll


@record
class PipelineLimits:
    """What of a machine bounds a pipelined loop."""

    resources: IssueResources
    registers: dict[str, int]
    """Registers of each class that are free for values of the loop."""
    reads_before_writes: bool
    """Whether a register may be written in the cycle in which its old value is read for the last time."""
    most_unrolled: int
    """Iterations of a kernel at most."""


def pipelined(loop: LoopGraph, limits: PipelineLimits) -> PipelinedLoop | None:
    """The loop at the least initiation interval for which the registers suffice; None if they never do."""
    for schedule in schedules(loop, limits.resources):
        registers = expand(schedule, limits.registers, limits.reads_before_writes, limits.most_unrolled)
        if registers is not None:
            return write_out(schedule, registers)
    return None


def write_out(schedule: ModuloSchedule, registers: RegisterCopies) -> PipelinedLoop:
    """Prologue, kernel and epilogue of a schedule."""
    fill = schedule.stages - 1

    def one_pass(number: int, first: int, end: int, counted_from: int) -> Cycles:
        """The pass in which iteration ``number`` begins, with the iterations from ``first`` to before ``end``."""
        cycles: Cycles = [[] for _ in range(schedule.interval)]
        for at, operation in enumerate(schedule.loop.operations):
            stage, cycle = divmod(schedule.times[at], schedule.interval)
            iteration = number - stage
            if first <= iteration < end:
                writes = tuple(registers.of(value, iteration) for value in operation.defines)
                reads = tuple(registers.of(read.value, iteration - read.distance) for read in operation.reads)
                cycles[cycle].append(Issue(operation, iteration - counted_from, schedule.ways[at], writes, reads))
        return cycles

    prologue = [cycle for number in range(fill) for cycle in one_pass(number, 0, fill, 0)]
    kernel_end = fill + registers.unroll
    kernel = [cycle for number in range(fill, kernel_end) for cycle in one_pass(number, 0, kernel_end, fill)]
    # Behind k passes of the kernel the registers stand as behind none.
    epilogue = [cycle for number in range(fill, 2 * fill) for cycle in one_pass(number, -fill, fill, fill)]
    return PipelinedLoop(schedule, registers, prologue, kernel, epilogue)
