"""What has no regular addresses -> a native gather or scatter, or scalar accesses lane by lane.

Lane by lane under a mask an off lane's address is replaced by that of a readable
zero (a discarded place of the stack for stores): no branch, and no memory touched
that the program does not touch. Which of the two is used is a cost row of the target.
"""

from __future__ import annotations

from voltac.ir.match import made_by
from voltac.ir.pseudo_operations import suffix
from voltac.ir.types import lanes_of
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.lane_words import stays_in_scalars


def native_gather(access: Access, emit: Emitter) -> None:
    """The target's gather; lanes that are off are zero."""
    count, vector = access.lanes, access.vector
    intrinsic = f"{vector} @llvm.masked.gather.{_suffix(access)}.v{count}p0(<{count} x ptr>, <{count} x i1>, {vector})"
    arguments = (
        f"<{count} x ptr> align {access.size} {access.pointers.value}, <{count} x i1> {access.mask}, {vector} zeroinitializer"
    )
    emit.call(intrinsic, arguments, access.instruction.name)


def native_pairs(access: Access, pointers: str, emit: Emitter) -> str:
    """The target's gather of 64 bits from where each lane's pointer is, and which lanes are on, as ``access``'s."""
    count, vector, name = access.lanes, f"<{access.lanes} x i64>", emit.fresh("pairs")
    intrinsic = f"{vector} @llvm.masked.gather.v{count}i64.v{count}p0(<{count} x ptr>, <{count} x i1>, {vector})"
    arguments = f"<{count} x ptr> align {access.size} {pointers}, <{count} x i1> {access.mask}, {vector} zeroinitializer"
    emit.call(intrinsic, arguments, name)
    return name


def native_scatter(access: Access, emit: Emitter) -> None:
    """The target's scatter: of lanes with one address the last one stays."""
    count, vector = access.lanes, access.vector
    intrinsic = f"void @llvm.masked.scatter.{_suffix(access)}.v{count}p0({vector}, <{count} x ptr>, <{count} x i1>)"
    arguments = (
        f"{vector} {access.value}, <{count} x ptr> align {access.size} {access.pointers.value}, <{count} x i1> {access.mask}"
    )
    emit.call(intrinsic, arguments)


def scalar_gather(access: Access, emit: Emitter) -> None:
    """A load and an insertion for each lane, without branches: lanes that are off read a zero elsewhere."""
    words = emit.takes_words
    emit.takes_words = words and not stays_in_scalars(access.instruction.name, emit.uses, emit.values)
    pointers = _safe_pointers(access, emit, emit.nowhere() if not access.all_on else "")
    emit.takes_words = words
    result = "poison"
    for lane in range(access.lanes):
        pointer = pointers[lane]
        scalar = emit.load("scalar", f"load {access.element}, ptr {pointer}, align {access.size}")
        text = f"insertelement {access.vector} {result}, {access.element} {scalar}, i64 {lane}"
        if lane == access.lanes - 1:
            emit.define(access.instruction.name, text)
        else:
            result = emit.load("part", text)


def scalar_scatter(access: Access, emit: Emitter) -> None:
    """A store for each lane, in order, without branches: lanes that are off write to a discarded place."""
    pointers = lane_places(access, emit)
    for lane in range(access.lanes):
        scalar = emit.lane(access.vector, access.value, lane)
        emit.line(f"store {access.element} {scalar}, ptr {pointers[lane]}, align {access.size}")


def lane_places(access: Access, emit: Emitter) -> list[str]:
    """Where each lane stores; lanes that are off have a discarded place there of 16 bytes, or of the rest of their struct."""
    return _members(access, emit) or _safe_pointers(access, emit, emit.discard() if not access.all_on else "")


def _members(access: Access, emit: Emitter) -> list[str]:
    """The address of each lane from where its struct begins, which members share; empty for what is no member, or all on."""
    member = None if access.all_on else made_by(("getelementptr",), access.pointers.value, emit.values.definitions)
    if member is None:
        return []
    struct, (record, *indices) = member.parts.element_type, member.parts.operands
    bytes_each = emit.values.layout.size(struct)
    if not lanes_of(record.type) or any(lanes_of(each.type) for each in indices) or bytes_each > _MOST_DISCARDED:
        return []
    if indices[0].value != "0":
        return []
    safe = emit.safe_pointers(record.type, record.value, access.mask, emit.discard(bytes_each + _WORD))
    path = ", ".join(f"{each.type} {each.value}" for each in indices)
    starts = [emit.lane(record.type, safe, lane) for lane in range(access.lanes)]
    return [emit.value("member", f"getelementptr {struct}, ptr {start}, {path}") for start in starts]


_MOST_DISCARDED = 256
"""Bytes of the stack that lanes that are off may write to. Chosen: structs of which several members are stored are smaller."""


_WORD = 4
"""Bytes that a store of two members takes along, at most, from behind a struct."""


def _safe_pointers(access: Access, emit: Emitter, elsewhere: str) -> list[str]:
    """The address of each lane; ``elsewhere`` for off lanes."""
    count = access.lanes
    vector = f"<{count} x ptr>"
    if not elsewhere:
        if access.address is not None:
            return [emit.address(access.address, offset, access.element, access.size) for offset in access.offsets]
        return [emit.lane_pointer(vector, access.pointers.value, lane) for lane in range(count)]
    safe = emit.safe_pointers(vector, access.pointers.value, access.mask, elsewhere)
    return [emit.lane(vector, safe, lane) for lane in range(count)]


def _suffix(access: Access) -> str:
    return suffix(access.element, access.lanes).replace("p", "p0")
