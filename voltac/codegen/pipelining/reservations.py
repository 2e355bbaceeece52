"""Which units are taken in which cycle: of one initiation interval, in which all iterations meet, or of straight code."""

from __future__ import annotations

from collections import defaultdict

from voltac.codegen.pipelining.loop import IssueResources, Occupied


class ReservationTable:
    """Rows are cycles; with an interval, cycles that are a multiple of it apart are one row."""

    def __init__(self, resources: IssueResources, interval: int = 0) -> None:
        self._resources = resources
        self._interval = interval
        self._taken: dict[tuple[str, int], list[int]] = defaultdict(list)
        """Operations that hold a unit, by resource and row."""

    def _rows(self, way: Occupied, time: int) -> list[tuple[str, int]]:
        return [(name, (time + cycle) % self._interval if self._interval else time + cycle) for name, cycle in way]

    def fits(self, way: Occupied, time: int) -> bool:
        """Whether an operation can issue then, in this way."""
        needed: dict[tuple[str, int], int] = {}
        for row in self._rows(way, time):
            needed[row] = needed.get(row, 0) + 1
            if len(self._taken[row]) + needed[row] > self._resources.units[row[0]]:
                return False
        return True

    def possible(self, way: Occupied) -> bool:
        """Whether it fits an empty table; an interval may be too short even for one operation."""
        rows = self._rows(way, 0)
        return all(rows.count(row) <= self._resources.units[row[0]] for row in set(rows))

    def in_the_way(self, way: Occupied, time: int) -> set[int]:
        """The operations that hold what it needs then, where that is not free."""
        rows = self._rows(way, time)
        full = [row for row in set(rows) if len(self._taken[row]) + rows.count(row) > self._resources.units[row[0]]]
        return {operation for row in full for operation in self._taken[row]}

    def take(self, operation: int, way: Occupied, time: int) -> None:
        """Enter an operation."""
        for row in self._rows(way, time):
            self._taken[row].append(operation)

    def release(self, operation: int) -> None:
        """Take an operation out."""
        for row, holders in self._taken.items():
            self._taken[row] = [holder for holder in holders if holder != operation]
