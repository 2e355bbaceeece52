"""Bundles of straight code: list scheduling of operations that issue together where units and dependences allow it.

The operation with the longest chain behind it goes first; that of two with
equal chains which stands first in the code. Operations of one cycle read before
any of them writes, so a dependence of 0 cycles (a register is read, then
written) may share a bundle.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from voltac.codegen.pipelining.loop import Edge, IssueResources, Occupied
from voltac.codegen.pipelining.reservations import ReservationTable


def bundles(
    ways: Sequence[Sequence[Occupied]], edges: Sequence[Edge], resources: IssueResources
) -> list[list[tuple[int, int]]]:
    """Cycles, each with the numbers of its operations and the way each takes. Edges go from lower to higher numbers.

    A cycle in which only results are waited for is empty. ValueError for an operation that needs more units than there are.
    """
    count = len(ways)
    height = [0] * count
    for edge in sorted(edges, key=lambda edge: -edge.before):
        height[edge.before] = max(height[edge.before], height[edge.after] + edge.cycles)
    waits_for = [0] * count
    after: list[list[Edge]] = [[] for _ in range(count)]
    for edge in edges:
        waits_for[edge.after] += 1
        after[edge.before].append(edge)
    earliest = [0] * count
    ready = [(-height[number], number) for number in range(count) if not waits_for[number]]
    """The longest chain first."""
    table = ReservationTable(resources)
    for number, choice in enumerate(ways):
        if not any(map(table.possible, choice)):
            raise ValueError(f"operation {number} needs more units than there are")
    cycles: list[list[tuple[int, int]]] = []
    done = 0
    while done < count:
        now = len(cycles)
        cycles.append([])
        heapify(ready)
        later: list[tuple[int, int]] = []
        full: set[Occupied] = set()
        """Ways of operations that do not fit into this cycle any more."""
        while ready:
            first = heappop(ready)
            number = first[1]
            way = _fitting(ways[number], table, now, full) if earliest[number] <= now else None
            if way is None:
                later.append(first)
                continue
            table.take(number, ways[number][way], now)
            cycles[-1].append((number, way))
            done += 1
            for edge in after[number]:
                earliest[edge.after] = max(earliest[edge.after], now + edge.cycles)
                waits_for[edge.after] -= 1
                if not waits_for[edge.after]:
                    heappush(ready, (-height[edge.after], edge.after))
        ready = later
    return cycles


def _fitting(choice: Sequence[Occupied], table: ReservationTable, now: int, full: set[Occupied]) -> int | None:
    """The first way in which an operation can issue; those in which none can are entered in ``full``."""
    for number, occupied in enumerate(choice):
        if occupied not in full:
            if table.fits(occupied, now):
                return number
            full.add(occupied)
    return None
