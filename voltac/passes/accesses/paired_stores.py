"""Neighbouring words of structs that each lane stores alone -> one store of both a lane.

    call void @volta.scatter.v8f32(%x, <p, p + 16, ...>)         members x and y of structs of which not all is stored
    call void @volta.scatter.v8f32(%y, <p + 4, p + 20, ...>)
    ->
    %low = shufflevector %x, %y, <0, 8, 1, 9, 4, 12, 5, 13>       (and %high) within halves of registers
    store double (the first 64 bits of %low), ptr %p
    ...

Where lanes may be off, theirs go to a discarded place, as those of single words do.
"""

from __future__ import annotations

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.gather import lane_places
from voltac.passes.accesses.piece import Piece
from voltac.target_info import TargetInfo

_WORD = 4
"""Bytes of a member."""
_BLOCK = 4
"""Words in 128 bits, within which lanes are paired."""


def plan_store_pairs(cluster: list[Access], target: TargetInfo) -> list[Piece]:
    """Of members of one key, no two lanes of which store to the same place."""
    first = cluster[0]
    if not target.is_x86 or first.size != _WORD or first.lanes % _BLOCK or len(cluster) < 2:
        return []
    places = [offset for access in cluster for offset in access.offsets]
    if len(set(places)) < len(places):
        return []
    waiting = sorted(cluster, key=lambda access: access.offsets[0])
    pieces: list[Piece] = []
    while len(waiting) > 1:
        one, other = waiting[:2]
        if all(before + _WORD == behind for before, behind in zip(one.offsets, other.offsets, strict=True)):
            pieces.append(_pair(one, other))
            del waiting[:2]
        else:
            del waiting[0]
    return pieces


def _pair(one: Access, other: Access) -> Piece:
    def write(emit: Emitter) -> None:
        lanes = one.lanes
        first, second = (emit.as_element(each.vector, each.value, "float") for each in (one, other))
        vector, halves = f"<{lanes} x float>", f"<{lanes // 2} x double>"
        mixed: list[str] = []
        for high in (0, _BLOCK // 2):
            order = [
                lane + side * lanes for start in range(high, lanes, _BLOCK) for lane in (start, start + 1) for side in (0, 1)
            ]
            mixed.append(emit.value("pairs", f"bitcast {vector} {emit.shuffle(vector, first, second, order)} to {halves}"))
        for lane, place in enumerate(lane_places(one, emit)):
            number = lane // _BLOCK * 2 + lane % 2
            both = emit.value("both", f"extractelement {halves} {mixed[lane % _BLOCK // 2]}, i64 {number}")
            emit.line(f"store double {both}, ptr {place}, align {_WORD}")

    return Piece([one, other], write, f"{one.lanes} stores of two members each")
