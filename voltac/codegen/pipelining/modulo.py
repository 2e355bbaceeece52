"""Iterative modulo scheduling: a time for each operation of a loop, so that an iteration begins every few cycles.

An operation goes into the first cycle in which its operands are there and its
units free; where there is none within an interval it goes in nevertheless, and
what is in its way is taken out and scheduled again (Rau, Iterative modulo
scheduling: an algorithm for software pipelining loops, MICRO-27, 1994). Then
operations move to where values live for a shorter time.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.codegen.pipelining.bounds import longest_paths, recurrence_bound, resource_bound
from voltac.codegen.pipelining.loop import Edge, IssueResources, LoopGraph
from voltac.codegen.pipelining.reservations import ReservationTable
from voltac.records import record

_BUDGET = 6
"""Times that an operation is placed, on average, before the interval is given up: where Rau's measurements have
the least time for nearly all of the gain."""


@record(eq=False)
class ModuloSchedule:
    """When the operations of iteration 0 issue; iteration i issues ``i * interval`` cycles later."""

    loop: LoopGraph
    interval: int
    times: tuple[int, ...]
    """By number of the operation, the first of all is 0."""
    ways: tuple[int, ...]
    """Which of its ways each operation takes."""

    @property
    def stages(self) -> int:
        """How many iterations are under way at a time."""
        return max(self.times) // self.interval + 1

    def span(self, value_maker: int, reader: int, distance: int) -> int:
        """Cycles from an operation's issue to the issue of the one that reads its result so many iterations later."""
        return self.times[reader] + distance * self.interval - self.times[value_maker]


def schedules(loop: LoopGraph, resources: IssueResources) -> Iterator[ModuloSchedule]:
    """Schedules by growing interval, from the bounds on up to where iterations would not overlap any more."""
    edges = loop.edges()
    least = max(resource_bound(loop, resources), recurrence_bound(loop))
    # An iteration fits into an interval of this length with one operation behind the other.
    most = (
        least
        + sum(
            max([operation.latency, *(cycle + 1 for way in operation.ways for _, cycle in way)])
            for operation in loop.operations
        )
        + sum(max(0, edge.cycles) for edge in edges)
    )
    for interval in range(least, most + 1):
        found = _Attempt(loop, edges, resources, interval).run()
        if found is not None:
            yield found
            if found.stages == 1:
                # Nothing overlaps any more: a longer interval has no fewer values alive.
                return


class _Attempt:
    """One interval."""

    def __init__(self, loop: LoopGraph, edges: tuple[Edge, ...], resources: IssueResources, interval: int) -> None:
        self.loop = loop
        self.interval = interval
        self.count = len(loop.operations)
        self.edges = edges
        self.into: list[list[Edge]] = [[] for _ in range(self.count)]
        self.out_of: list[list[Edge]] = [[] for _ in range(self.count)]
        for edge in edges:
            self.into[edge.after].append(edge)
            self.out_of[edge.before].append(edge)
        self.table = ReservationTable(resources, interval)
        self.times: dict[int, int] = {}
        self.ways: dict[int, int] = {}

    def run(self) -> ModuloSchedule | None:
        height = longest_paths(self.count, self.edges, self.interval)
        if height is None or not all(any(map(self.table.possible, operation.ways)) for operation in self.loop.operations):
            return None
        last_tried = [-1] * self.count
        budget = _BUDGET * self.count
        while len(self.times) < self.count:
            if not budget:
                return None
            budget -= 1
            number = min((n for n in range(self.count) if n not in self.times), key=lambda n: (-height[n], n))
            earliest = max(
                [0, *(self._after(edge) for edge in self.into[number] if edge.before in self.times and edge.before != number)]
            )
            time, way = self._place(number, earliest, last_tried[number])
            last_tried[number] = time
            self._enter(number, time, way)
        self._shorten()
        first = min(self.times.values())
        return ModuloSchedule(
            self.loop,
            self.interval,
            tuple(self.times[number] - first for number in range(self.count)),
            tuple(self.ways[number] for number in range(self.count)),
        )

    def _after(self, edge: Edge) -> int:
        """The first cycle in which the second operation of a dependence may issue."""
        return self.times[edge.before] + edge.cycles - self.interval * edge.distance

    def _place(self, number: int, earliest: int, last_tried: int) -> tuple[int, int]:
        ways = self.loop.operations[number].ways
        for time in range(earliest, earliest + self.interval):
            for way, occupied in enumerate(ways):
                if self.table.fits(occupied, time):
                    return time, way
        possible = next(way for way, occupied in enumerate(ways) if self.table.possible(occupied))
        return (earliest if earliest > last_tried else last_tried + 1), possible

    def _enter(self, number: int, time: int, way: int) -> None:
        occupied = self.loop.operations[number].ways[way]
        for other in self.table.in_the_way(occupied, time):
            self._leave(other)
        self.times[number], self.ways[number] = time, way
        self.table.take(number, occupied, time)
        for edge in self.out_of[number]:
            if edge.after != number and edge.after in self.times and self.times[edge.after] < self._after(edge):
                self._leave(edge.after)

    def _leave(self, number: int) -> None:
        self.table.release(number)
        del self.times[number], self.ways[number]

    def _shorten(self) -> None:
        """Move operations, each within what the others leave it, to where the values live shortest in sum."""
        changed = True
        while changed:
            changed = False
            for number in range(self.count):
                time, way = self.times[number], self.ways[number]
                others = [edge for edge in (*self.into[number], *self.out_of[number]) if edge.before != edge.after]
                lowest = max([self._after(edge) for edge in others if edge.after == number], default=time)
                highest = min(
                    [
                        self.times[edge.after] - edge.cycles + self.interval * edge.distance
                        for edge in others
                        if edge.before == number
                    ],
                    default=time,
                )
                self.table.release(number)
                makers = {number, *(edge.before for edge in self.into[number])}
                best, best_way, least = time, way, self._living(makers)
                for moved in range(max(0, lowest), highest + 1):
                    for other_way, occupied in enumerate(self.loop.operations[number].ways):
                        self.times[number] = moved
                        if self.table.fits(occupied, moved) and (living := self._living(makers)) < least:
                            best, best_way, least = moved, other_way, living
                            changed = True
                self.times[number], self.ways[number] = best, best_way
                self.table.take(number, self.loop.operations[number].ways[best_way], best)

    def _living(self, makers: set[int]) -> int:
        """Cycles that the values of some operations live, in sum over these."""
        total = 0
        for number in makers:
            if defines := self.loop.operations[number].defines:
                ends = [self.times[edge.after] + self.interval * edge.distance for edge in self.out_of[number]]
                total += len(defines) * max(0, max(ends, default=0) - self.times[number])
        return total
