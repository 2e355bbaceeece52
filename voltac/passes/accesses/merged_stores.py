"""Stores to the same consecutive elements under different masks -> one store of selected values.

    store a under m;  load under !m;  store b under !m          (the same address)
    ->
    load;  store (select m, a, b)

An ``if`` with both sides assigning the same element becomes what a programmer would
write by hand. Nothing is written that was not written before: the one store is
under the union of the masks.
"""

from __future__ import annotations

from bisect import bisect

from voltac.ir.lane_values import LaneValues
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.available_loads import access_key, inverse, mask_implies, masks_exclude
from voltac.passes.accesses.emit import Emitter
from voltac.records import mutable_record


@mutable_record
class Waiting:
    """Stores of one place that may become one."""

    key: object
    stores: list[Access]


def is_passed(waiting: Waiting, load: Access, values: LaneValues) -> bool:
    """Whether a load reads only lanes of the place that no waiting store writes."""
    if access_key(load) != waiting.key:
        return False
    return all(masks_exclude(load.mask, store.mask, values) for store in waiting.stores)


def covers_all(accesses: list[Access], values: LaneValues) -> bool:
    """Whether the accesses together certainly touch every lane: those under a condition that is part of another one, and those
    where that other one does not hold (``x > 0 && y < 1 ? x : y``)."""
    if any(access.all_on for access in accesses):
        return True
    masks = list(dict.fromkeys(access.mask for access in accesses))
    inverted = [inverse(mask, values) for mask in masks]
    return any(found and mask_implies(found, mask, values) for found in inverted for mask in masks)


def mark_readable(accesses: list[Access], stops: list[int], values: LaneValues) -> None:
    """Masked loads of places of which the same stretch of code touches every lane may load every lane.

    That may be by several accesses: ``p[i - 1]`` and ``p[i + 1]`` touch what ``p[i]`` does.
    ``stops``: positions behind which the code may never come.
    """
    whole: dict[object, list[tuple[int, int]]] = {}
    for access in accesses:
        if access.all_on and access.is_consecutive and access.address is not None:
            place = bisect(stops, access.index), access.address.key
            whole.setdefault(place, []).append((access.memory.low, access.memory.high))
    for access in accesses:
        if not access.is_store and not access.all_on and access.is_consecutive and access.address is not None:
            ranges = whole.get((bisect(stops, access.index), access.address.key), [])
            access.readable = _covered(ranges, access.memory.low, access.memory.high)
    touched: dict[object, list[Access]] = {}
    for access in accesses:
        touched.setdefault((bisect(stops, access.index), access_key(access)), []).append(access)
    for same in touched.values():
        masked = [access for access in same if not access.is_store and not access.all_on]
        if masked and (any(access.all_on for access in same) or covers_all(same, values)):
            for access in masked:
                access.readable = True


def _covered(ranges: list[tuple[int, int]], low: int, high: int) -> bool:
    for first, end in sorted(ranges):
        if first <= low:
            low = max(low, end)
    return low >= high


def write_merged(stores: list[Access], all_on: bool, emit: Emitter) -> None:
    """The one store, at the place of the last."""
    last = stores[-1]
    first = max((number for number, store in enumerate(stores) if store.all_on), default=0)
    value, mask = stores[first].value, stores[first].mask
    lanes = f"<{last.lanes} x i1>"
    for store in stores[first + 1 :]:
        value = emit.value("merged", f"select {lanes} {store.mask}, {last.vector} {store.value}, {last.vector} {value}")
        if not all_on:
            mask = emit.value("either", f"or {lanes} {mask}, {store.mask}")
    address = last.address
    assert address is not None
    pointer = emit.address(address, last.offsets[0], last.element, last.size)
    if all_on:
        emit.line(f"store {last.vector} {value}, ptr {pointer}, align {last.size}")
    else:
        emit.masked_store(value, last.element, last.lanes, last.size, pointer, mask)
