"""Members of 1 or 2 bytes, of structs of six or ten -> words of two members, of structs of three or five.

    a0 b0 c0 d0 e0 f0 a1 b1 ...    ->    ab0 ab1 ab2 ...   cd0 cd1 ...   ef0 ef1 ...    a0 = trunc ab0, b0 = trunc (ab0 >> 16)

Halves of words are cut out of registers by shifts and packs, and put together by two shuffles: no more than for structs of two
members. Half as many are left that are harder to bring apart.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from voltac.ir.model import Instruction
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, reason
from voltac.passes.members.member_windows import place_behind, same_structs
from voltac.records import replace
from voltac.target_info import TargetInfo

_MEMBERS = (6, 10)
"""Twice an odd number: others have networks of their own, or are so long that few lanes share a register."""
_LEAST = 4
"""Members that are loaded. Counted."""

Planner = Callable[[list[Access], TargetInfo], list[Piece]]


def plan_word_loads(members: list[Access], target: TargetInfo, plan: Planner) -> list[Piece]:
    """Of accesses of one key those of such structs whose words lie within what is loaded; ``plan``: for the words."""
    pieces: list[Piece] = []
    ordered = sorted(members, key=lambda access: access.offsets[0])
    while ordered:
        group = _structs(ordered, target)
        ordered = ordered[max(1, len(group)) :]
        # The last word of all ends with the last byte that is touched.
        if len(group) < _LEAST or place_behind(group[-1], group[0]) % 2 == 0:
            continue
        words = {number: _word(group[0], number) for number in sorted({place_behind(each, group[0]) // 2 for each in group})}
        inner = plan(list(words.values()), target)
        if sum(len(piece.members) for piece in inner) == len(words):
            in_order = sorted(group, key=lambda access: access.index)
            served = reason("load", len(words), len(group))
            pieces.append(Piece(in_order, partial(_load, group, words, inner), served))
    return pieces


def plan_word_stores(cluster: list[Access], target: TargetInfo, plan: Planner) -> list[Piece]:
    """The stores of all members of such structs, each of all lanes, where they are all of a cluster."""
    group = _structs(sorted(cluster, key=lambda access: access.offsets[0]), target)
    if not group or len(group) != len(cluster) or [place_behind(each, group[0]) for each in group] != list(range(len(group))):
        return []
    first = group[0]
    if first.offsets[1] - first.offsets[0] != len(group) * first.size:
        return []
    words = [_word(first, number) for number in range(len(group) // 2)]
    inner = plan(words, target)
    if sum(len(piece.members) for piece in inner) != len(words):
        return []
    return [Piece(cluster, partial(_store, group, words, target, plan), reason("store", len(words), len(group)))]


def _store(group: list[Access], words: list[Access], target: TargetInfo, plan: Planner, emit: Emitter) -> None:
    lanes, bits = group[0].lanes, 8 * group[0].size
    part = f"<{lanes} x i{bits}>"
    made: list[Access] = []
    for number, word in enumerate(words):
        low, high = (emit.as_element(each.vector, each.value, f"i{bits}") for each in group[2 * number : 2 * number + 2])
        both = emit.shuffle(part, low, high, [side * lanes + lane for lane in range(lanes) for side in (0, 1)])
        value = emit.value("words", f"bitcast <{2 * lanes} x i{bits}> {both} to {word.vector}")
        made.append(replace(word, value=value))
    for piece in plan(made, target):
        piece.write(emit)


def _structs(ordered: list[Access], target: TargetInfo) -> list[Access]:
    """The first of these accesses, and those behind it that are of the same structs."""
    first = ordered[0]
    if not has_halves(target) or not first.all_on or first.size > 2 or first.lanes * first.size * 8 < target.vector_bits:
        return []
    stride = first.offsets[1] - first.offsets[0]
    if stride % first.size or stride // first.size not in _MEMBERS:
        return []
    return same_structs(ordered, stride)


def _word(first: Access, number: int) -> Access:
    """Two members of each lane as one element; its name only tells the words of one struct apart."""
    assert first.address is not None
    offsets = tuple(offset + number * 2 * first.size for offset in first.offsets)
    element, name = f"i{16 * first.size}", f"%word.{number}"
    return replace(
        first,
        instruction=Instruction(f"  {name} = freeze <{first.lanes} x {element}> poison"),
        index=number,
        element=element,
        size=2 * first.size,
        alignment=first.align,
        address=replace(first.address, offsets=offsets),
    )


def _load(group: list[Access], words: dict[int, Access], inner: list[Piece], emit: Emitter) -> None:
    for piece in inner:
        piece.write(emit)
    values = {number: emit.renamed.pop(word.instruction.name) for number, word in words.items()}
    for each in group:
        number, side = divmod(place_behind(each, group[0]), 2)
        value, word, part = values[number], words[number].vector, f"<{each.lanes} x i{8 * each.size}>"
        if side:
            value = emit.value("upper", f"lshr {word} {value}, splat (i{16 * each.size} {8 * each.size})")
        cut = emit.value("part", f"trunc {word} {value} to {part}")
        emit.alias(each.instruction.name, emit.as_element(part, cut, each.element))
