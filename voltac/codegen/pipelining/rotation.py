"""Registers of a pipelined loop on a machine whose registers rotate: in each pass of the kernel each has the next name.

What is written to name ``n`` is read as ``n + 1`` one pass of the kernel
later, so one copy of the kernel does for all iterations. A value has a block of
names, one for each pass that it lives through.
"""

from __future__ import annotations

from voltac.codegen.pipelining.loop import LoopValue
from voltac.codegen.pipelining.modulo import ModuloSchedule
from voltac.records import record


@record(eq=False)
class RotatingNames:
    """The names of a loop's values among the rotating registers of each class."""

    _written: dict[LoopValue, tuple[int, int]]
    """The name under which a value is written, and in which stage."""
    used: dict[str, int]
    """Names of each class; rotation goes round at least that many registers."""

    def of(self, value: LoopValue, distance: int, stage: int) -> int:
        """The name of what was made so many iterations ago, for an operation of a stage."""
        name, written_in = self._written[value]
        return name + distance + stage - written_in

    def initially(self, value: LoopValue, distance: int) -> int:
        """Before the loop: the name where iteration 0 expects what was made so many iterations before it."""
        return self.of(value, distance, 0)


def rotate(schedule: ModuloSchedule, limits: dict[str, int], unlike: frozenset[str] = frozenset()) -> RotatingNames | None:
    """Names within the ``limits`` of each class; None if they do not suffice.

    ``unlike``: classes in which of two values of one operation one has an odd name, the other an even one.
    """
    loop = schedule.loop
    written: dict[LoopValue, tuple[int, int]] = {}
    used: dict[str, int] = {}
    for number, operation in enumerate(loop.operations):
        stage = schedule.times[number] // schedule.interval
        before: dict[str, int] = {}
        for value in operation.defines:
            # Until it is written at least, which a long latency may put off to a later pass.
            names = (schedule.times[number] % schedule.interval + operation.latency - 1) // schedule.interval + 1
            farthest = 0
            for reader, other in enumerate(loop.operations):
                for read in other.reads:
                    if read.value is value:
                        names = max(names, read.distance + schedule.times[reader] // schedule.interval - stage + 1)
                        farthest = max(farthest, read.distance)
            # Values from before the loop come up to the first name while the stages before the definition are filled.
            filling = max(0, stage - 1) if farthest else 0
            # The last iteration is read behind the loop, when the stages behind the definition have drained; so are those
            # before it that a next one would have read.
            draining = max(names, schedule.stages - stage + max(1, farthest)) if value in loop.live_out else names
            first = used.get(value.kind, 0) + filling
            if value.kind in unlike and value.kind in before:
                first += 1 - (first - before[value.kind]) % 2
            before[value.kind] = first
            written[value] = first, stage
            used[value.kind] = first + draining
    if all(number <= limits.get(kind, 0) for kind, number in used.items()):
        return RotatingNames(written, used)
    return None
