"""Bytes 3 or 4 apart -> one vector of all the bytes, taken apart or put together by shuffles that LLVM has sequences for.

    %r = call <32 x i8> @volta.gather.v32i8(<p, p + 3, ...>, <all on>)         (and the green, the blue)
    ->
    %all = load <96 x i8>, ptr %p
    %r = shufflevector %all, poison, <0, 3, 6, ...>                            %g = ... <1, 4, 7, ...>

    call void @volta.scatter.v32i8(%r, <p, p + 3, ...>, <all on>)              (and two more)
    ->
    store <96 x i8> (shufflevector of all three, <0, 32, 64, 1, 33, 65, ...>), ptr %p

LLVM's code generator knows both as interleaved accesses and does them with rotations of bytes within the halves of whole
registers, where 16 bytes at a time would be picked out of vectors by two or three shuffles each.
"""

from __future__ import annotations

from functools import partial

from voltac.ir.match import made_by
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, reason
from voltac.passes.accesses.wide_elements import plan_wide_stores
from voltac.target_info import TargetInfo

_LANES = (16, 32)
"""For which there are such sequences with AVX2."""
_LOADED, _STORED = (3,), (3, 4)
"""Bytes from lane to lane for which there are some."""


def plan_group_loads(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those that together read the first and the last byte of each lane's group."""
    pieces: list[Piece] = []
    for group in _groups(members, _LOADED, target):
        stride = group[0].offsets[1] - group[0].offsets[0]
        if group[-1].offsets[0] - group[0].offsets[0] == stride - 1:
            served = reason("load", _vectors(group, stride, target), len(group))
            pieces.append(Piece(group, partial(_load, group, stride), served))
    return pieces


def plan_group_stores(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key those that together write each byte of each lane's group, once."""
    pieces: list[Piece] = []
    for group in _groups(members, _STORED, target):
        stride = group[0].offsets[1] - group[0].offsets[0]
        if [each.offsets[0] - group[0].offsets[0] for each in group] == list(range(stride)):
            served = reason("store", _vectors(group, stride, target), len(group))
            in_order = sorted(group, key=lambda access: access.index)
            wide = plan_wide_stores(group, target)
            write = partial(_store_whole_or, wide[0], group) if wide else partial(_store, group, stride)
            pieces.append(Piece(in_order, write, served))
    return pieces


def _vectors(group: list[Access], stride: int, target: TargetInfo) -> int:
    return stride * group[0].lanes * 8 // target.vector_bits


def _groups(members: list[Access], strides: tuple[int, ...], target: TargetInfo) -> list[list[Access]]:
    """Accesses that touch neighbouring bytes, in the order of these, all at one of the strides."""
    if target.isa not in _ISAS or members[0].size != 1 or not members[0].all_on or members[0].lanes not in _LANES:
        return []
    groups: list[list[Access]] = []
    for access in sorted(members, key=lambda each: each.offsets[0]):
        first = access.offsets[0]
        stride = access.offsets[1] - first
        if stride not in strides or access.offsets != tuple(range(first, first + stride * access.lanes, stride)):
            continue
        last = groups[-1] if groups else None
        if last is not None and last[0].offsets[1] - last[0].offsets[0] == stride and first < last[0].offsets[1]:
            last.append(access)
        else:
            groups.append([access])
    return groups


_ISAS = ("avx2", "avx2vnni")
"""With AVX-512 one permutation of bytes takes what a member is out of two registers."""


def _load(group: list[Access], stride: int, emit: Emitter) -> None:
    first = group[0]
    assert first.address is not None
    whole = f"<{stride * first.lanes} x i8>"
    pointer = emit.address(first.address, first.offsets[0], first.element, 1)
    loaded = emit.load("group", f"load {whole}, ptr {pointer}, align 1")
    for each in group:
        mask = [offset - first.offsets[0] for offset in each.offsets]
        emit.alias(each.instruction.name, emit.shuffle(whole, loaded, "poison", mask))


def _store_whole_or(wide: Piece, group: list[Access], emit: Emitter) -> None:
    """Four members that are computed in 32 bits are put together in those; all others as bytes."""
    definitions = emit.values.definitions
    cut = filter(None, (made_by(("trunc",), each.value, definitions) for each in group))
    words = [each.operands[0] for each in cut if _WHOLE_ELEMENT in each.operands[0].type]
    if any(made_by(("zext", "sext"), each.value, definitions) is None for each in words):
        wide.write(emit)
    else:
        _store(group, len(group), emit)


_WHOLE_ELEMENT = " x i32>"


def _store(group: list[Access], stride: int, emit: Emitter) -> None:
    first, lanes = group[0], group[0].lanes
    assert first.address is not None
    values = [emit.as_element(each.vector, each.value, first.element) for each in group]
    low = emit.shuffle(first.vector, values[0], values[1], list(range(2 * lanes)))
    others = list(range(2 * lanes)) if stride == 4 else [*range(lanes), *[-1] * lanes]
    high = emit.shuffle(first.vector, values[2], values[3] if stride == 4 else "poison", others)
    mask = [member * lanes + lane for lane in range(lanes) for member in range(stride)]
    whole = emit.shuffle(f"<{2 * lanes} x i8>", low, high, mask)
    pointer = emit.address(first.address, first.offsets[0], first.element, 1)
    emit.line(f"store <{stride * lanes} x i8> {whole}, ptr {pointer}, align 1")
