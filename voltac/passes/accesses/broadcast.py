"""An access of all lanes to one address -> a scalar load and a splat, or a scalar store of the highest active lane.

    %v = call <8 x float> @volta.gather.v8f32(<8 x ptr> <all equal>, <8 x i1> splat (i1 true))
    ->
    %s = load float, ptr %p
    %v = <splat of %s>

Under a mask that may be empty the address is replaced by that of a readable zero
(for stores: of a discarded byte of the stack) when no lane is on, so that no
memory is touched that the program does not touch, without a branch.
"""

from __future__ import annotations

from voltac.ir.parts import Operand
from voltac.passes.accesses.access import Access
from voltac.passes.accesses.emit import Emitter


def broadcast_load(access: Access, emit: Emitter) -> None:
    """A scalar load and a splat; with no lane on it reads a zero that is always readable."""
    address = access.address
    assert address is not None
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    if not access.all_on and not access.readable:
        some = emit.any_on(access.mask, access.lanes)
        pointer = emit.value("safe", f"select i1 {some}, ptr {pointer}, ptr {emit.nowhere()}")
    scalar = emit.load("scalar", f"load {access.element}, ptr {pointer}, align {access.size}")
    emit.splat(access.instruction.name, access.element, access.lanes, scalar)


def broadcast_store(access: Access, emit: Emitter) -> None:
    """A scalar store of the highest active lane; with no lane on it goes to a discarded place."""
    address = access.address
    assert address is not None
    uniform = emit.values.is_uniform(Operand(access.vector, access.value))
    pointer = emit.address(address, access.offsets[0], access.element, access.size)
    if access.all_on:
        scalar = emit.lane(access.vector, access.value, 0 if uniform else access.lanes - 1)
    else:
        some = emit.any_on(access.mask, access.lanes)
        pointer = emit.value("safe", f"select i1 {some}, ptr {pointer}, ptr {emit.discard()}")
        scalar = emit.lane(access.vector, access.value, 0) if uniform else _highest_active(access, emit)
    emit.line(f"store {access.element} {scalar}, ptr {pointer}, align {access.size}")


def _highest_active(access: Access, emit: Emitter) -> str:
    width = access.lanes
    bits = emit.value("bits", f"bitcast <{width} x i1> {access.mask} to i{width}")
    # An empty mask counts as lane 0: the store is discarded then.
    bits = emit.value("bits", f"or i{width} {bits}, 1")
    emit.declarations.add(f"i{width} @llvm.ctlz.i{width}(i{width}, i1)")
    above = emit.value("above", f"call i{width} @llvm.ctlz.i{width}(i{width} {bits}, i1 true)")
    number = emit.value("highest", f"sub i{width} {width - 1}, {above}")
    return emit.value("last", f"extractelement {access.vector} {access.value}, i{width} {number}")
