"""Members of 4 bytes, of structs of seven or more, eight lanes -> four members at a time, a row of 16 bytes of each lane.

    x0 y0 z0 w0 | x4 y4 z4 w4      x1 y1 z1 w1 | x5 ...      x2 ... | x6 ...      x3 ... | x7 ...       loaded half by half
    x0 x1 x2 x3 | x4 x5 x6 x7      y0 y1 y2 y3 | ...         and so on: eight shuffles, none from half to half

Three instructions for each member and register, whatever the size of the struct; elements collected out of a register each
take as many as the struct has members. The last four overlap those before. Matrices of 3 x 3 are such structs. Stores of 16
bytes a lane take longer than elements blended from eight registers: 1.8 times, structs of five (Zen 4). With AVX-512 sixteen
lanes are put together of two such registers: 0.4 (18 members) to 0.7 (seven) of the time of blends of all registers.
"""

from __future__ import annotations

from functools import partial

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_rows import four_by_four
from voltac.passes.accesses.piece import Piece, join_parts, reason
from voltac.passes.members.member_windows import place_behind, same_structs, stride_of
from voltac.target_info import TargetInfo

_SIZE, _LANES, _ROW = 4, 8, 4
"""Bytes of a member; lanes of two halves; members in 16 bytes."""
_LEAST = 7
"""Members of a struct: fewer take as long as they are. Measured with five; six are pairs (:mod:`.member_pairs`)."""
_WANTED = 2
"""Members that a row has alone: one is less work by itself. Counted."""


def plan_four_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those of rows that begin and end with a member that is loaded."""
    pieces: list[Piece] = []
    ordered = sorted(members, key=lambda access: access.offsets[0])
    while ordered:
        group = _structs(ordered, target)
        rows, served = _rows(group)
        if rows:
            taken = [each for each in group if id(each) in served]
            in_order = sorted(taken, key=lambda access: access.index)
            told = reason("load", len(rows) * group[0].lanes, len(taken))
            pieces.append(Piece(in_order, partial(_load, group, rows, served), told))
        ordered = ordered[max(1, len(group)) :]
    return pieces


def _structs(ordered: list[Access], target: TargetInfo) -> list[Access]:
    """The first of these accesses, and those behind it that are of the same structs."""
    first = ordered[0]
    stride = stride_of(first)
    count = stride // _SIZE
    if not (has_halves(target) or target.has_avx512) or not first.all_on or first.lanes % _LANES:
        return []
    if first.size != _SIZE or stride % _SIZE or count < _LEAST or not count & (count - 1):
        return []
    return same_structs(ordered, stride)


def _rows(group: list[Access]) -> tuple[list[int], dict[int, tuple[int, int]]]:
    """Where rows begin, and for each access, by identity, its row and its place there; some accesses may be left out."""
    places = [place_behind(each, group[0]) for each in group]
    if len(set(places)) < len(places):
        return [], {}
    rows: list[int] = []
    served: dict[int, tuple[int, int]] = {}
    known = set(places)
    for at in sorted(known):
        if rows and at < rows[-1] + _ROW:
            continue
        begin = at
        if at + _ROW - 1 not in known:
            # One that ends with the last member that is loaded, and overlaps the one before.
            begin = max(known) - _ROW + 1
            if begin > at or begin not in known:
                continue
        own = max(begin, rows[-1] + _ROW) if rows else begin
        if sum(own <= each < begin + _ROW for each in known) >= _WANTED:
            rows.append(begin)
    for number, begin in enumerate(rows):
        for each, at in zip(group, places):
            if begin <= at < begin + _ROW:
                served.setdefault(id(each), (number, at - begin))
    return rows, served


def _load(group: list[Access], rows: list[int], served: dict[int, tuple[int, int]], emit: Emitter) -> None:
    first = group[0]
    assert first.address is not None
    half = f"<{_ROW} x {first.element}>"
    parts: dict[int, list[str]] = {}
    for start in range(0, first.lanes, _LANES):
        columns: list[list[str]] = []
        for begin in rows:
            vectors: list[str] = []
            for lane in range(start, start + _ROW):
                halves: list[str] = []
                for each in (lane, lane + _ROW):
                    pointer = emit.address(first.address, first.offsets[each] + begin * _SIZE, first.element, _SIZE)
                    halves.append(emit.load("row", f"load {half}, ptr {pointer}, align {_SIZE}"))
                vectors.append(emit.shuffle(half, halves[0], halves[1], list(range(_LANES))))
            columns.append(four_by_four(vectors, first.element, _LANES, emit))
        for access in group:
            if id(access) in served:
                number, place = served[id(access)]
                value = emit.as_element(f"<{_LANES} x {first.element}>", columns[number][place], access.element)
                parts.setdefault(access.index, []).append(value)
    for access in group:
        if id(access) in served:
            join_parts(access, parts[access.index], access.element, emit)
