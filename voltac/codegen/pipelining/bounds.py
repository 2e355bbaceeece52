"""Lower bounds of the initiation interval: the cycles between two iterations that a machine and a loop need at least.

The resource bound counts units, the recurrence bound follows the circles of
dependences (Rau, Iterative modulo scheduling, MICRO-27, 1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from voltac.codegen.pipelining.loop import Edge, IssueResources, LoopGraph

_TOGETHER = 3
"""Resources that are counted together, at most. Chosen: more never raised the bound of a loop whose operations have a choice of
two units."""


def resource_bound(loop: LoopGraph, resources: IssueResources) -> int:
    """By counting: what operations take of some resources in whichever way they issue, through the units of these."""
    names = sorted({name for operation in loop.operations for way in operation.ways for name, _ in way})
    bound = 1
    for size in range(1, min(_TOGETHER, len(names)) + 1):
        for chosen in combinations(names, size):
            taken = sum(min(sum(name in chosen for name, _ in way) for way in operation.ways) for operation in loop.operations)
            bound = max(bound, -(-taken // sum(resources.units[name] for name in chosen)))
    return bound


def recurrence_bound(loop: LoopGraph) -> int:
    """By circles of dependences: the cycles round one, through the iterations that it spans. ValueError if it spans none."""
    edges = loop.edges()
    count = len(loop.operations)
    low, high = 1, max(1, sum(edge.cycles for edge in edges))
    if longest_paths(count, edges, high) is None:
        raise ValueError("operations wait for each other within one iteration")
    while low < high:
        middle = (low + high) // 2
        if longest_paths(count, edges, middle) is None:
            low = middle + 1
        else:
            high = middle
    return low


def longest_paths(count: int, edges: Sequence[Edge], interval: int) -> list[int] | None:
    """Cycles from each operation's issue to the last issue that waits for it; None where a circle of dependences is longer."""
    height = [0] * count
    for _ in range(count + 1):
        changed = False
        for edge in edges:
            through = height[edge.after] + edge.cycles - interval * edge.distance
            if through > height[edge.before]:
                height[edge.before] = through
                changed = True
        if not changed:
            return height
    return None
