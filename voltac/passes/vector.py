"""An access of consecutive elements -> one vector load or store, masked if its mask may have lanes off.

%v = call <8 x float> @volta.gather.v8f32(<8 x ptr> <p, p + 4, ...>, <8 x i1> %mask)
->
%v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x float> zeroinitializer)
"""

from __future__ import annotations

from voltac.passes.access import Access
from voltac.passes.emit import Emitter


def vector_load(access: Access, emit: Emitter) -> None:
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    name = access.instruction.name
    if access.all_on or access.readable:
        emit.define(name, f"load {access.vector}, ptr {pointer}, align {access.size}")
    else:
        emit.masked_load("", access.element, access.lanes, access.size, pointer, access.mask, name)


def vector_store(access: Access, emit: Emitter) -> None:
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    if access.all_on:
        emit.line(f"store {access.vector} {access.value}, ptr {pointer}, align {access.size}")
    else:
        emit.masked_store(access.value, access.element, access.lanes, access.size, pointer, access.mask)
