"""Structs of six members of 4 bytes, eight lanes -> pairs of members, as three of 8 bytes, with rows in both halves.

    x0 y0 z0 u0 | x4 ...      v0 w0 x1 y1 | v4 ...      z1 u1 v1 w1 | z5 ...          and three more, of lanes 2, 3 | 6, 7
    x0 y0 x1 y1 | x4 ...      z0 u0 z1 u1 | z4 ...      v0 w0 v1 w1 | v4 ...
    x0 x1 x2 x3 | x4 ...      y0 y1 y2 y3 | y4 ...      and so on: of these and those of the other lanes

Nothing goes from half to half: 18 instructions for six members, loads apart. Stores are the same backwards. Particles with a
place and a velocity are such structs.
"""

from __future__ import annotations

from functools import partial

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, join_parts, reason
from voltac.passes.members.member_windows import place_behind, same_structs
from voltac.target_info import TargetInfo

_MEMBERS, _SIZE, _LANES = 6, 4, 8
"""Of a struct; bytes of a member; lanes of two halves."""
_ROW = 4
"""Members in 16 bytes."""
_LEAST = 4
"""Members that are loaded: fewer are less work by themselves. Counted."""
_ROWS = 6
"""Of 16 bytes, of four structs."""


def plan_pair_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those of such structs, of which the first and the last member are loaded."""
    pieces: list[Piece] = []
    ordered = sorted(members, key=lambda access: access.offsets[0])
    while ordered:
        group = _structs(ordered, target)
        ordered = ordered[max(1, len(group)) :]
        places = {place_behind(each, group[0]) for each in group}
        if len(places) >= _LEAST and _MEMBERS - 1 in places:
            in_order = sorted(group, key=lambda access: access.index)
            served = reason("load", 2 * _ROWS * group[0].lanes // _LANES, len(group))
            pieces.append(Piece(in_order, partial(_load, group), served))
    return pieces


def plan_pair_stores(cluster: list[Access], target: TargetInfo) -> list[Piece]:
    """The stores of all six members, each of all lanes, where they are all of a cluster."""
    group = _structs(sorted(cluster, key=lambda access: access.offsets[0]), target)
    if len(group) != len(cluster) or [place_behind(each, group[0]) for each in group] != list(range(_MEMBERS)):
        return []
    return [Piece(cluster, partial(_store, group), reason("store", _ROWS * group[0].lanes // _LANES, _MEMBERS))]


def _structs(ordered: list[Access], target: TargetInfo) -> list[Access]:
    """The first of these accesses, and those behind it that are of the same structs."""
    first = ordered[0]
    if not has_halves(target) or not first.all_on or first.size != _SIZE or first.lanes % _LANES:
        return []
    return same_structs(ordered, _MEMBERS * _SIZE)


def _element(group: list[Access]) -> str:
    elements = {each.element for each in group}
    return elements.pop() if len(elements) == 1 else "i32"


def _mask(own: list[int]) -> list[int]:
    """Of both halves, what is taken from the lower ones; elements of the second vector count from a row on."""
    lower = [at if at < _ROW else at + _ROW for at in own]
    return lower + [at + _ROW for at in lower]


_SIDES = ((0, 1, [0, 1, 6, 7]), (0, 2, [2, 3, 4, 5]), (1, 2, [0, 1, 6, 7]))
"""Of each pair of members: the rows that it is in, of three, and where."""
_EVEN_ODD = ([0, 2, 4, 6], [1, 3, 5, 7])


def _load(group: list[Access], emit: Emitter) -> None:
    first, element = group[0], _element(group)
    assert first.address is not None
    kind, half = f"<{_LANES} x {element}>", f"<{_ROW} x {element}>"
    parts: dict[int, list[str]] = {}
    for start in range(0, first.lanes, _LANES):
        rows: list[str] = []
        for number in range(_ROWS):
            halves: list[str] = []
            for at in (number, number + _ROWS):
                offset = first.offsets[start] + at * _ROW * _SIZE
                pointer = emit.address(first.address, offset, first.element, _SIZE)
                halves.append(emit.load("row", f"load {half}, ptr {pointer}, align {_SIZE}"))
            rows.append(emit.shuffle(half, halves[0], halves[1], list(range(_LANES))))
        pairs = [
            [emit.shuffle(kind, rows[one + group_], rows[other + group_], _mask(mask)) for group_ in (0, _ROWS // 2)]
            for one, other, mask in _SIDES
        ]
        for each in group:
            pair, side = divmod(place_behind(each, first), 2)
            value = emit.shuffle(kind, pairs[pair][0], pairs[pair][1], _mask(_EVEN_ODD[side]))
            parts.setdefault(each.index, []).append(emit.as_element(kind, value, each.element))
    for each in group:
        join_parts(each, parts[each.index], each.element, emit)


def _store(group: list[Access], emit: Emitter) -> None:
    first, element = group[0], _element(group)
    assert first.address is not None
    kind = f"<{_LANES} x {element}>"
    for start in range(0, first.lanes, _LANES):
        values: list[str] = []
        for each in group:
            value = emit.as_element(each.vector, each.value, element)
            if each.lanes > _LANES:
                value = emit.shuffle(f"<{each.lanes} x {element}>", value, "poison", list(range(start, start + _LANES)))
            values.append(value)
        rows: list[str] = []
        for mask in ([0, 4, 1, 5], [2, 6, 3, 7]):
            pairs = [emit.shuffle(kind, values[at], values[at + 1], _mask(mask)) for at in range(0, _MEMBERS, 2)]
            rows += [
                emit.shuffle(kind, pairs[0], pairs[1], _mask([0, 1, 4, 5])),
                emit.shuffle(kind, pairs[2], pairs[0], _mask([0, 1, 6, 7])),
                emit.shuffle(kind, pairs[1], pairs[2], _mask([2, 3, 6, 7])),
            ]
        number = 0
        for half in (0, _ROW):
            for at in range(0, _ROWS, 2):
                places = list(range(half, half + _ROW))
                whole = emit.shuffle(kind, rows[at], rows[at + 1], places + [_LANES + place for place in places])
                offset = first.offsets[start] + number * _LANES * _SIZE
                pointer = emit.address(first.address, offset, first.element, _SIZE)
                emit.line(f"store {kind} {whole}, ptr {pointer}, align {_SIZE}")
                number += 1
