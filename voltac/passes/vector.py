"""An access of consecutive elements -> one vector load or store, masked if its mask may have lanes off.

    %v = call <8 x float> @volta.gather.v8f32(<8 x ptr> <p, p + 4, ...>, <8 x i1> %mask)
    ->
    %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x float> zeroinitializer)

Off lanes read as zero rather than poison: a program may compare them and test the mask of the result.
"""

from __future__ import annotations

from voltac.ir.pseudo import suffix
from voltac.passes.access import Access
from voltac.passes.emit import Emitter


def vector_load(access: Access, emit: Emitter) -> None:
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    name, vector, mask = access.instruction.name, access.vector, f"<{access.lanes} x i1>"
    if access.all_on:
        emit.define(name, f"load {vector}, ptr {pointer}, align {access.size}")
        return
    intrinsic = f"{vector} @llvm.masked.load.{_suffix(access)}.p0(ptr, {mask}, {vector})"
    arguments = f"ptr align {access.size} {pointer}, {mask} {access.mask}, {vector} zeroinitializer"
    emit.call(intrinsic, arguments, name)


def vector_store(access: Access, emit: Emitter) -> None:
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    vector, mask = access.vector, f"<{access.lanes} x i1>"
    if access.all_on:
        emit.line(f"store {vector} {access.value}, ptr {pointer}, align {access.size}")
        return
    intrinsic = f"void @llvm.masked.store.{_suffix(access)}.p0({vector}, ptr, {mask})"
    emit.call(intrinsic, f"{vector} {access.value}, ptr align {access.size} {pointer}, {mask} {access.mask}")


def _suffix(access: Access) -> str:
    return suffix(access.element, access.lanes).replace("p", "p0")
