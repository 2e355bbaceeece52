"""What has no regular addresses -> a native gather or scatter, or scalar accesses lane by lane.

Lane by lane under a mask an off lane's address is replaced by that of a readable
zero (a discarded place of the stack for stores): no branch, and no memory touched
that the program does not touch. Which of the two is used is a cost row of the target.
"""

from __future__ import annotations

from voltac.ir.pseudo_operations import suffix
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
    pointers = _safe_pointers(access, emit, emit.discard() if not access.all_on else "")
    for lane in range(access.lanes):
        scalar = emit.lane(access.vector, access.value, lane)
        emit.line(f"store {access.element} {scalar}, ptr {pointers[lane]}, align {access.size}")


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
