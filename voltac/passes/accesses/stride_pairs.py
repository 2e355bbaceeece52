"""Loads at a stride of two elements -> pairs of which one fills the gaps of the other.

    b[2 * i]   b[2 * i + 1]   b[2 * i + 2]   b[2 * i + 3]   b[2 * i + 4]        a filter at every second place
    one pair                  another                       alone

The even and the odd elements of two vectors side by side are those of a pair: with all five from one row of vectors each would
be collected from three of them, and alone each takes two loads of its own.
"""

from __future__ import annotations

from voltac.passes.accesses.access import Access


def stride_pairs(cluster: list[Access]) -> list[tuple[int, int]]:
    """The numbers of the accesses, each in one pair."""
    found: list[tuple[int, int]] = []
    order = sorted(range(len(cluster)), key=lambda at: cluster[at].offsets[0])
    while len(order) > 1:
        one, other = cluster[order[0]], cluster[order[1]]
        order.pop(0)
        if one.lanes != other.lanes or one.lanes < 2 or one.offsets[1] - one.offsets[0] != 2 * one.size:
            continue
        if all(after - before == one.size for before, after in zip(one.offsets, other.offsets, strict=True)):
            found.append((cluster.index(one), cluster.index(other)))
            order.pop(0)
    return found
