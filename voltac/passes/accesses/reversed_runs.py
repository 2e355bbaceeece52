"""Small elements that lie in reverse, a register of them -> one load or store, and one shuffle of the whole register.

    %x = call <32 x i8> @volta.gather.v32i8(<p + 31, p + 30, ... p>, <all on>)
    ->
    %all = load <32 x i8>, ptr %p
    %x = shufflevector %all, poison, <31, 30, ... 0>

A register of 256 bits is reversed within its halves, which then change places; by halves there would be two loads or stores
for each, of which processors do two and one a cycle.
"""

from __future__ import annotations

from functools import partial

from voltac.passes.accesses.access import Access
from voltac.passes.accesses.cost_rows import has_halves
from voltac.passes.accesses.emit import Emitter
from voltac.passes.accesses.piece import Piece, reason
from voltac.target_info import TargetInfo

_REGISTER = 32
"""Bytes."""
_SIZES = (1, 2)
"""Bytes of elements of which halves of registers are shuffled alone."""


def plan_reversed(members: list[Access], target: TargetInfo) -> list[Piece]:
    """Of accesses of one key, all loads or all stores, those that are such a register each; no two touch the same place."""
    if not has_halves(target) or not members[0].all_on or members[0].size not in _SIZES:
        return []
    found = [access for access in members if _is_reversed(access)]
    if any(access.is_store for access in found) and len(members) > 1:
        return []
    return [Piece([access], partial(_write, access), reason("store" if access.is_store else "load", 1, 1)) for access in found]


def _is_reversed(access: Access) -> bool:
    last, size = access.offsets[-1], access.size
    return access.lanes * size == _REGISTER and access.offsets == tuple(range(last + _REGISTER - size, last - size, -size))


def _write(access: Access, emit: Emitter) -> None:
    assert access.address is not None
    vector = f"<{access.lanes} x {access.element}>"
    pointer = emit.address(access.address, access.offsets[-1], access.element, access.size)
    order = list(range(access.lanes - 1, -1, -1))
    if access.is_store:
        value = emit.as_element(access.vector, access.value, access.element)
        emit.line(f"store {vector} {emit.shuffle(vector, value, 'poison', order)}, ptr {pointer}, align {access.size}")
        return
    loaded = emit.load("span", f"load {vector}, ptr {pointer}, align {access.size}")
    made = emit.shuffle(vector, loaded, "poison", order)
    emit.alias(access.instruction.name, emit.as_element(vector, made, access.element))
