"""Members of structs that are loaded lane by lane, and stored -> vectors put together in the order of memory, and stored.

    %x = (scalar loads %x0, %x1, ... of the lanes)       %y = ..., %z = ...
    scatter(%x, <p, p + 3, ...>)   scatter(%y, <p + 1, p + 4, ...>)   scatter(%z, <p + 2, p + 5, ...>)
    ->
    store <16 x i8> <%x0, %y0, %z0, %x1, ...>, ptr %p

A lane that is loaded into its place in a register takes as long as two thirds of a store of one byte on Zen 4, and nothing is
shuffled; looked up colours are such structs. What fills no register is stored one by one, lane after lane: processors
put neighbours together that are stored one behind the other (0.7 of the time of member after member).
"""

from __future__ import annotations

from functools import partial

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, reason
from voltac.passes.accesses.shuffled_loads import clusters
from voltac.target_info import TargetInfo

_REGISTER = 16
"""Bytes that single elements are put into; of a wider register the upper half would be put together by itself."""
_LEAST = 4
"""Elements that are put together: fewer are stored as fast. Chosen, not measured."""

_Run = list[tuple[Access, int]]
"""What stands side by side: an access and a lane for each element."""


def plan_lane_images(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Stores of one key whose lanes are all on and scalars; none where no element is loaded into its place (SSE2)."""
    if not target.is_x86 or target.isa == "sse2":
        return []
    pieces: list[Piece] = []
    for cluster in clusters(members, 0):
        places = {offset: (access, lane) for access in cluster for lane, offset in enumerate(access.offsets)}
        if len(cluster) > 1 and len(places) == sum(access.lanes for access in cluster):
            runs = _runs(dict(sorted(places.items())), cluster[0].size)
            count = sum(map(len, runs)) * cluster[0].size // _REGISTER
            pieces.append(Piece(cluster, partial(_write, runs), reason("store", max(1, count), len(cluster))))
    return pieces


def _runs(places: dict[int, tuple[Access, int]], size: int) -> list[tuple[int, _Run]]:
    """Offset of the first, and what stands side by side, in no more than a register."""
    runs: list[tuple[int, _Run]] = []
    for offset, held in places.items():
        if runs and offset == runs[-1][0] + size * len(runs[-1][1]) and size * len(runs[-1][1]) < _REGISTER:
            runs[-1][1].append(held)
        else:
            runs.append((offset, [held]))
    return runs


def _write(runs: list[tuple[int, _Run]], emit: Emitter) -> None:
    for start, run in runs:
        at, size = 0, run[0][0].size
        while at < len(run):
            left = len(run) - at
            width = 1 << (left.bit_length() - 1) if left >= _LEAST else 1
            _store(start + at * size, run[at : at + width], emit)
            at += width


def _store(offset: int, run: _Run, emit: Emitter) -> None:
    first = run[0][0]
    assert first.address is not None
    element = first.element
    scalars = [emit.lane(access.vector, access.value, lane) for access, lane in run]
    kind, value = element, scalars[0]
    if len(run) > 1:
        kind, value = f"<{len(run)} x {element}>", "poison"
        for at, scalar in enumerate(scalars):
            value = emit.value("image", f"insertelement {kind} {value}, {element} {scalar}, i64 {at}")
    pointer = emit.address(first.address, offset, element, first.size)
    emit.line(f"store {kind} {value}, ptr {pointer}, align {first.size}")
