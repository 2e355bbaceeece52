"""Four members of 1 or 2 bytes that fill four registers -> shuffles within halves of registers, and one across for each member.

    R0 G0 B0 A0 R1 ... A3 | R4 ... A7          a register of pixels, one of four
    R0-3 G0-3 B0-3 A0-3   | R4-7 ...           bytes within halves: elements of 32 bits have a member's alone
    R0-3 R8-11 R16-19 ... | R4-7 R12-15 ...    a transposition of four registers by four, within halves
    R0-3 R4-7 R8-11 ...                        the elements in order

16 shuffles for 4 members. Where each lane is computed in 32 bits, whole elements that members are cut out of
(:mod:`voltac.passes.accesses.wide_elements`) need none.
"""

from __future__ import annotations

from functools import partial

from voltac.ir.types import element_of, integer_bits
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_rows import four_by_four
from voltac.passes.accesses.piece import Piece, reason
from voltac.records import replace
from voltac.target_info import TargetInfo

_REGISTER, _HALF, _WORD = 32, 16, 4
"""Bytes."""
_MEMBERS = 4
_IN_ORDER = [0, 4, 1, 5, 2, 6, 3, 7]
"""Of the elements of a member, where the lanes' order has them."""
_EXTENSIONS = ("zext", "sext", "uitofp", "sitofp")


def quads(piece: Piece, target: TargetInfo) -> Piece:
    """The loads of whole elements, or these shuffles, as the members are used; ``piece`` writes the former."""
    members = sorted(piece.members, key=lambda access: access.offsets[0])
    return replace(piece, write=partial(_as_used, piece, members)) if _fill_registers(members, target) else piece


def plan_quad_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those of four members of 2 bytes."""
    pieces: list[Piece] = []
    ordered = sorted(members, key=lambda access: access.offsets[0])
    at = 0
    while ordered[0].size == 2 and at + _MEMBERS <= len(ordered):
        four = ordered[at : at + _MEMBERS]
        fits = _fill_registers(four, target)
        if fits:
            in_order = sorted(four, key=lambda access: access.index)
            pieces.append(Piece(in_order, partial(_write, four), reason("load", _MEMBERS, _MEMBERS)))
        at += _MEMBERS if fits else 1
    return pieces


def _fill_registers(members: list[Access], target: TargetInfo) -> bool:
    """Whether these are the four members of each lane's element, in order."""
    first = members[0]
    if not (has_halves(target) and target.is_x86 and first.all_on and first.lanes * first.size == _REGISTER):
        return False
    stride = _MEMBERS * first.size
    starts = [first.offsets[0] + member * first.size for member in range(_MEMBERS)]
    return [each.offsets for each in members] == [tuple(range(start, start + stride * first.lanes, stride)) for start in starts]


def _as_used(piece: Piece, members: list[Access], emit: Emitter) -> None:
    if all(_is_extended(each, emit) for each in members):
        piece.write(emit)
    else:
        _write(members, emit)


def _write(members: list[Access], emit: Emitter) -> None:
    first = members[0]
    assert first.address is not None
    size, words = first.size, _REGISTER // _WORD
    octets = f"<{_REGISTER} x i8>"
    mask = [
        half + at * _MEMBERS * size + member * size + byte
        for half in (0, _HALF)
        for member in range(_MEMBERS)
        for at in range(_WORD // size)
        for byte in range(size)
    ]
    vectors: list[str] = []
    for number in range(_MEMBERS):
        pointer = emit.address(first.address, first.offsets[0] + number * _REGISTER, first.element, size)
        loaded = emit.load("span", f"load {octets}, ptr {pointer}, align {size}")
        sorted_ = emit.shuffle(octets, loaded, "poison", mask)
        vectors.append(emit.value("words", f"bitcast {octets} {sorted_} to <{words} x i32>"))
    for each, column in zip(members, four_by_four(vectors, "i32", words, emit), strict=True):
        in_order = emit.shuffle(f"<{words} x i32>", column, "poison", _IN_ORDER)
        made = emit.value("member", f"bitcast <{words} x i32> {in_order} to <{first.lanes} x {first.element}>")
        emit.alias(each.instruction.name, emit.as_element(f"<{first.lanes} x {first.element}>", made, each.element))


def _is_extended(access: Access, emit: Emitter) -> bool:
    """Whether all that is done with what is loaded begins with its extension to 32 bits."""
    users = emit.uses.of(access.instruction.name)
    return bool(users) and all(
        user.op in _EXTENSIONS and (integer_bits(element_of(user.type)) or 8 * _WORD) >= 8 * _WORD for user in users
    )
