"""Registers of a pipelined loop by modulo variable expansion: a value that lives longer than an interval has several.

Iterations take the registers of a value in turn, so the kernel is unrolled
until the turn comes round (Lam, Software pipelining, PLDI 1988).
Registers of values that live within one iteration are shared where they do not
live at the same time: arcs on a circle of the kernel's cycles, coloured first
fit. A value that is carried from iteration to iteration, or out of the loop,
has its own, because its first registers are written before the loop and its
last ones are read behind it. Where there are too few it shares them, if nobody
else writes the first ones before they are read, nor the last ones any more.
"""

from __future__ import annotations

from voltac.codegen.pipelining.loop import LoopValue
from voltac.codegen.pipelining.modulo import ModuloSchedule
from voltac.records import record


@record(eq=False)
class RegisterCopies:
    """Which registers the iterations of a pipelined loop use."""

    unroll: int
    """Iterations of a kernel."""
    register: dict[tuple[LoopValue, int], int]
    """By value and iteration modulo ``unroll``; numbers count from 0 within a register class."""
    used: dict[str, int]
    """Registers of each class."""

    def of(self, value: LoopValue, iteration: int) -> int:
        """The register of a value in an iteration; before the first, iterations are negative."""
        return self.register[value, iteration % self.unroll]


@record(eq=False)
class _Life:
    value: LoopValue
    made: int
    """Cycle of its definition in iteration 0."""
    cycles: int
    """From there to its last reader's."""
    carried: int
    """How many iterations later it is read, at most; 1 at least for what is read behind the loop."""
    copies: int


def lives_of(schedule: ModuloSchedule, reads_before_writes: bool) -> list[_Life]:
    """How long values live. The cycle of its last reader may write a register if the machine ``reads_before_writes``."""
    loop = schedule.loop
    found = []
    for number, operation in enumerate(loop.operations):
        for value in operation.defines:
            # What nobody reads occupies its register until it is written.
            spans = [operation.latency]
            farthest = int(value in loop.live_out)
            for reader, other in enumerate(loop.operations):
                for read in other.reads:
                    if read.value is value:
                        spans.append(schedule.span(number, reader, read.distance))
                        farthest = max(farthest, read.distance)
            cycles = max(spans) + (not reads_before_writes)
            copies = max(1, farthest, -(-cycles // schedule.interval))
            found.append(_Life(value, schedule.times[number], cycles, farthest, copies))
    return found


def expand(
    schedule: ModuloSchedule, limits: dict[str, int], reads_before_writes: bool, most_unrolled: int
) -> RegisterCopies | None:
    """Registers within the ``limits`` of each class, with the least unrolling that allows it; None if none does."""
    lives = lives_of(schedule, reads_before_writes)
    if any(most > limits.get(kind, 0) for kind, most in _most_living(lives, schedule.interval).items()):
        return None
    least = max([life.copies for life in lives], default=1)
    for unroll in range(least, most_unrolled + 1):
        for all_share in (False, True):
            copies = _colour(lives, schedule.interval, unroll, all_share)
            if all(number <= limits.get(kind, 0) for kind, number in copies.used.items()):
                if not all_share or _keeps_ends(schedule, lives, copies, reads_before_writes):
                    return copies
    return None


def _most_living(lives: list[_Life], interval: int) -> dict[str, int]:
    """Values of each class that live in a cycle of the kernel, of all iterations: as many registers there must be, however
    often it is unrolled."""
    living: dict[str, list[int]] = {}
    for life in lives:
        rows = living.setdefault(life.value.kind, [0] * interval)
        turns, rest = divmod(life.cycles, interval)
        for row in range(interval):
            rows[row] += turns + ((row - life.made) % interval < rest)
    return {kind: max(rows) for kind, rows in living.items()}


def _keeps_ends(schedule: ModuloSchedule, lives: list[_Life], copies: RegisterCopies, reads_before_writes: bool) -> bool:
    """Whether what was carried into the loop stays until it is read, and what is read behind it from when it is made."""
    loop, interval = schedule.loop, schedule.interval
    latency = {value: operation.latency for operation in loop.operations for value in operation.defines}
    before: set[tuple[str, int]] = set()
    for life in lives:
        for back in range(1, life.carried + 1):
            register = copies.of(life.value, -back)
            if (life.value.kind, register) in before:
                return False
            before.add((life.value.kind, register))
            last_read = max(
                [
                    time + (read.distance - back) * interval
                    for operation, time in zip(loop.operations, schedule.times)
                    for read in operation.reads
                    if read.value is life.value and read.distance >= back
                ],
                default=0,
            )
            made = life.made - back * interval + latency[life.value]
            for other in (other for other in lives if other.value.kind == life.value.kind):
                for iteration in range(copies.unroll):
                    if copies.of(other.value, iteration) == register:
                        if other.made + iteration * interval < last_read + (not reads_before_writes):
                            return False
                if life.value not in loop.live_out:
                    continue
                for iteration in range(-copies.unroll, 0):
                    if copies.of(other.value, iteration) == register and (other, iteration) != (life, -back):
                        if other.made + iteration * interval + latency[other.value] >= made:
                            return False
    return True


def _colour(lives: list[_Life], interval: int, unroll: int, all_share: bool) -> RegisterCopies:
    circle = unroll * interval
    register: dict[tuple[LoopValue, int], int] = {}
    used: dict[str, int] = {}
    own = [life for life in lives if life.carried and not all_share]
    for life in own:
        copies = next(number for number in range(life.copies, unroll + 1) if unroll % number == 0)
        first = used.get(life.value.kind, 0)
        used[life.value.kind] = first + copies
        for iteration in range(unroll):
            register[life.value, iteration] = first + iteration % copies
    arcs: dict[str, list[tuple[int, int, LoopValue, int]]] = {}
    for life in (life for life in lives if life not in own):
        for iteration in range(unroll):
            start = (life.made + iteration * interval) % circle
            arcs.setdefault(life.value.kind, []).append((start, life.cycles, life.value, iteration))
    for kind, of_kind in arcs.items():
        shared: list[int] = []
        for start, length, value, iteration in sorted(of_kind, key=lambda arc: (-arc[1], arc[0])):
            arc = _cycles_of(start, max(length, 1), circle)
            free = next((n for n, taken in enumerate(shared) if not taken & arc), len(shared))
            if free == len(shared):
                shared.append(0)
            shared[free] |= arc
            register[value, iteration] = used.get(kind, 0) + free
        used[kind] = used.get(kind, 0) + len(shared)
    return RegisterCopies(unroll, register, used)


def _cycles_of(start: int, length: int, circle: int) -> int:
    """A bit for each cycle of an arc, which is no longer than the circle."""
    bits = ((1 << length) - 1) << start
    return (bits | bits >> circle) & ((1 << circle) - 1)
