"""An access of consecutive elements -> one vector load or store, masked if its mask may have lanes off.

%v = call <8 x float> @volta.gather.v8f32(<8 x ptr> <p, p + 4, ...>, <8 x i1> %mask)
->
%v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %p, <8 x i1> %mask, <8 x float> zeroinitializer)
"""

from __future__ import annotations

from voltac.ir import match as m
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter

_VARIABLE = m.op("alloca")


def vector_load(access: Access, emit: Emitter) -> None:
    """One load; under a mask only where the other lanes may not be read."""
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    name = access.instruction.name
    if access.all_on or access.readable:
        emit.define(name, f"load {access.vector}, ptr {pointer}, align {access.size}")
    else:
        emit.masked_load("", access.element, access.lanes, access.size, pointer, access.mask, name)


def vector_store(access: Access, emit: Emitter) -> None:
    """One store, masked unless all lanes are on or the memory is a local object of all lanes."""
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    if access.all_on:
        emit.line(f"store {access.vector} {access.value}, ptr {pointer}, align {access.size}")
    elif is_row_of_local(access, emit):
        # What an inlined function assigns through a reference: SROA promotes a variable that is stored whole.
        old = emit.load("old", f"load {access.vector}, ptr {pointer}, align {access.size}")
        lanes = f"<{access.lanes} x i1>"
        kept = emit.value("kept", f"select {lanes} {access.mask}, {access.vector} {access.value}, {access.vector} {old}")
        emit.line(f"store {access.vector} {kept}, ptr {pointer}, align {access.size}")
    else:
        emit.masked_store(access.value, access.element, access.lanes, access.size, pointer, access.mask)


def is_row_of_local(access: Access, emit: Emitter) -> bool:
    """A varying object in a local variable: all of its lanes may be read and written, nobody else looks at them."""
    if access.pointers.type != "ptr" or access.address is None:
        return False
    roots = [symbol.name for symbol in access.address.terms if symbol.kind == "pointer"]
    return len(roots) == 1 and _VARIABLE.matches(roots[0], emit.values.definitions)
