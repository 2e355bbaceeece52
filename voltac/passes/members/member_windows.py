"""Structs of which members are loaded: where those begin that may be read whole."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from voltac.passes.accesses.access import Access


def stride_of(access: Access) -> int:
    """Bytes from each lane's element to that of the next; 0 where that differs, or is not known."""
    if access.address is None:
        return 0
    steps = {after - before for before, after in zip(access.offsets, access.offsets[1:])}
    return steps.pop() if len(steps) == 1 else 0


def same_structs(ordered: list[Access], stride: int) -> list[Access]:
    """The first of these accesses, in the order of memory, and those behind it that are of the same structs of ``stride``
    bytes."""
    first = ordered[0]

    def is_one(access: Access) -> bool:
        distance = access.offsets[0] - first.offsets[0]
        is_within = distance % first.size == 0 and distance + first.size <= stride
        return is_within and stride_of(access) == stride and access.lanes == first.lanes

    return list(takewhile(is_one, ordered))


def place_behind(access: Access, first: Access) -> int:
    """Members from ``first`` to an access of the same structs."""
    return (access.offsets[0] - first.offsets[0]) // first.size


def first_member(wanted: list[Access], loads: Iterable[Access], members: int) -> int | None:
    """Bytes to the first member of structs of which these are, that lie within what ``loads`` read; None if there are none."""
    first = wanted[0]
    assert first.address is not None
    key = first.address.key, first.size
    step = stride_of(first)
    alike = (each for each in loads if each.address and (each.address.key, each.size) == key and stride_of(each) == step)
    starts = sorted({each.offsets[0] for each in alike})
    low, high = min(each.offsets[0] for each in wanted), max(each.offsets[0] for each in wanted)
    width = (members - 1) * first.size
    for start in starts:
        if start <= low and high <= start + width <= starts[-1] and (low - start) % first.size == 0:
            return start
    return None
