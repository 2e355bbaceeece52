"""Bytes of structs that lie far apart -> a word of each lane that holds four of them, and the bytes of all lanes by shifts.

    %a = call <8 x i8> @volta.gather.v8i8(<p, p + 16, ...>, <all on>)           (and of p + 1, p + 2 and p + 3)
    ->
    %words = <8 x i32> of load i32, ptr %p;  load i32, ptr (p + 16);  ...
    %a = trunc %words to <8 x i8>;  %b = trunc (lshr %words, 8) to <8 x i8>;  ...

A word begins with the first byte that is touched and ends with the last. Rows of a loop are loaded so, too
(:mod:`voltac.passes.rows.row_blocks`); these are loops that were written out.
"""

from __future__ import annotations

from functools import partial

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_rows import load_rows
from voltac.passes.accesses.piece import Piece, reason
from voltac.target_info import TargetInfo

_WORD = 4
"""Bytes."""
_LEAST_STRIDE = 12
"""Bytes from lane to lane: nearer ones are taken out of whole registers by shuffles."""
_LEAST_MEMBERS = 3
"""Of a word: two bytes a lane are loaded as fast one by one."""
_MOST_LANES = 16
"""Of a gang."""


def plan_byte_words(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those that read three or four bytes of a word of each lane, its first and its last one."""
    first = members[0]
    if (
        first.size != 1
        or not first.all_on
        or not target.is_x86
        or not _WORD <= first.lanes <= _MOST_LANES
        or first.lanes % _WORD
    ):
        return []
    strided: dict[int, list[Access]] = {}
    for access in members:
        stride = access.offsets[1] - access.offsets[0]
        steps = range(access.offsets[0], access.offsets[0] + stride * access.lanes, stride or 1)
        if abs(stride) >= _LEAST_STRIDE and access.offsets == tuple(steps):
            strided.setdefault(stride, []).append(access)
    return [piece for group in strided.values() for piece in _pieces(group)]


def _pieces(group: list[Access]) -> list[Piece]:
    pieces: list[Piece] = []
    left = sorted(group, key=lambda each: each.offsets[0])
    while left:
        begin = left[0].offsets[0]
        word = [each for each in left if each.offsets[0] < begin + _WORD]
        places = {each.offsets[0] - begin for each in word}
        if len(places) >= _LEAST_MEMBERS and _WORD - 1 in places:
            pieces.append(Piece(word, partial(_load, word), reason("load", word[0].lanes, len(word))))
            left = left[len(word) :]
        else:
            left = left[1:]
    return pieces


def _load(word: list[Access], emit: Emitter) -> None:
    first = word[0]
    assert first.address is not None
    pointers = [emit.address(first.address, offset, first.element, 1) for offset in first.offsets]
    columns = load_rows(pointers, first.element, 1, emit)
    for each in word:
        emit.alias(each.instruction.name, columns[each.offsets[0] - first.offsets[0]])
