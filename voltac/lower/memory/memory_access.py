"""Addresses and values -> loads, stores, gathers and scatters under the mask (language 1.2 and 5.5).

=======================  ==================  =======================================
address                  storage             access
=======================  ==================  =======================================
uniform                  uniform             plain, unmasked
uniform, local variable  varying             plain; under a mask ``select`` and store
uniform, elsewhere       varying             plain load; ``volta.store`` under a mask
varying                  uniform             ``volta.gather``, ``volta.scatter``
varying                  varying             the same, lane l takes element l of its row
=======================  ==================  =======================================

Structs and short vectors go element by element where lanes or masks matter.
"""

from __future__ import annotations

from voltac.lower.checks.bounds import check_access
from voltac.lower.checks.races import check_race
from voltac.lower.checks.unwritten import mark_bytes
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.memory.address import Address
from voltac.lower.memory.checked_access import (
    bytes_at,
    check_scalar_load,
    check_scalar_store,
    check_whole_load,
    check_whole_store,
    note_loaded,
)
from voltac.lower.memory.places import (
    element_address,
    join_slice,
    lane_scalar,
    member_address,
    new_object,
    row_or_lane,
    slice_parts,
)
from voltac.lower.text.ir_values import IR, element_type, integer, lanes_of, poison, zero
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import UNIFORM, VARYING, VOID_QUAL, Array, Pointer, Qual, Scalar, Struct, Type, Vector

_UNROLLED_ELEMENTS = 8
"""Of an array: more are copied by a loop, which is about as much code as this many loads and stores."""


def alignment(c: FunctionContext, address: Address) -> int:
    """Local objects have their natural alignment; what lies elsewhere is only trusted to the alignment of an element."""
    if address.as_mask:
        return masks.storage_alignment(c)
    if address.private:
        return c.types.alignment(address.storage)
    return c.types.element_alignment(address.storage)


def broadcast(c: FunctionContext, value: IR) -> IR:
    """A scalar to all lanes; what has lanes already stays."""
    return value if value.type[0] == "<" else c.build.splat(c.width, value)


def store_mask(c: FunctionContext, address: Address) -> IR | None:
    """The mask that a store to this address needs; None for a plain store."""
    if c.mask is None or (address.home is c.region and not c.cross_lane):
        return None
    return c.mask


@lowers_value(tree.Load)
def lower_load(c: FunctionContext, node: tree.Load) -> IR:
    """The value of a variable without storage, or what lies at the place."""
    place = node.place
    if type(place) is tree.Variable:
        known = c.variables.values.get(place.symbol)
        if known is not None:
            return known
    address = c.place(place)
    c.debug.span = node.span
    return load(c, address)


# --- loads


def load(c: FunctionContext, address: Address) -> IR:
    """The value at an address, in register form; of a struct the address of a copy."""
    storage = address.storage
    if lane_scalar(storage):
        return _load_scalar(c, address)
    match storage.type:
        case Struct():
            rate = VARYING if address.is_varying else storage.rate if storage.rate.kind != "soa" else UNIFORM
            copied = new_object(c, storage.with_rate(rate))
            copy(c, copied, address, everywhere=True)
            return copied.pointer
        case Vector(_, count):
            return _load_vector(c, address, count)
        case Pointer():
            return _load_slice(c, address)
    raise TypeError(f"{storage} has no value")


def _load_scalar(c: FunctionContext, address: Address) -> IR:
    storage = address.storage
    lane = c.types.lane_in_memory(storage.type)
    pointer = address.pointer if address.as_mask else row_or_lane(c, address)
    if address.bounds or address.shadow is not None:
        check_scalar_load(c, address, pointer)
    if address.as_mask:
        stored = c.build.load(c.types.mask_storage, pointer, alignment(c, address))
        return masks.from_storage(c, stored)
    if pointer.type[0] == "<":
        callee = c.module.pseudo("volta.gather", lane)
        type = f"<{c.width} x {lane}>"
        text = f"call {type} {callee}({pointer}, {masks.explicit(c, c.mask)}){c.debug.attachment()}"
        loaded = c.build.value(type, text)
    else:
        type = f"<{c.width} x {lane}>" if storage.rate is VARYING else lane
        loaded = c.build.load(type, pointer, alignment(c, address))
    if c.checks.accesses:
        note_loaded(c, address, loaded)
    return _from_memory(c, loaded, storage)


def _from_memory(c: FunctionContext, loaded: IR, storage: Qual) -> IR:
    if c.types.lane(storage.type) == "i1":
        return c.build.compare("icmp ne", loaded, zero(loaded.type))
    return loaded


def _to_memory(c: FunctionContext, value: IR) -> IR:
    if value.type == "i1":
        return c.build.convert("zext", value, "i8")
    if value.type.endswith(" x i1>"):
        return c.build.convert("zext", value, value.type.removesuffix("i1>") + "i8>")
    return value


def _load_vector(c: FunctionContext, address: Address, count: int) -> IR:
    storage = address.storage
    assert isinstance(storage.type, Vector)
    if not address.is_varying and storage.rate is UNIFORM:
        check_whole_load(c, address)
        stored = c.build.load(c.memory(storage), address.pointer, alignment(c, address))
        shortened = c.build.shuffle(stored, poison(stored.type), range(count))
        return _from_memory(c, shortened, Qual(storage.type.element))
    varying = address.is_varying or storage.rate is VARYING
    elements = [load(c, vector_element(c, address, number)) for number in range(count)]
    if not varying:
        result = poison(f"<{count} x {elements[0].type}>")
        for number, element in enumerate(elements):
            result = c.build.insert(result, element, integer("i64", number))
        return result
    return join_elements(c, elements)


def vector_element(c: FunctionContext, address: Address, number: int) -> Address:
    """Element of an array or short vector, by a constant number."""
    return element_address(c, address, integer(c.types.word, number))


def join_elements(c: FunctionContext, elements: list[IR]) -> IR:
    """A varying short vector from its elements."""
    result = poison(f"[{len(elements)} x {elements[0].type}]")
    for number, element in enumerate(elements):
        result = c.build.with_member(result, element, number)
    return result


def split_elements(c: FunctionContext, value: IR) -> list[IR]:
    """The elements of a short vector, of either rate."""
    if value.type[0] == "[":
        count, element = value.type[1:-1].split(" x ", 1)
        return [c.build.member(value, number, element) for number in range(int(count))]
    return [c.build.extract(value, integer("i64", number)) for number in range(lanes_of(value.type))]


def _load_slice(c: FunctionContext, address: Address) -> IR:
    if not address.is_varying and address.slot is None:
        check_whole_load(c, address)
        return c.build.load(c.memory(address.storage), address.pointer, c.types.sizes.pointer_bytes)
    block, slot = _slice_fields(c, address)
    return join_slice(c, load(c, block), load(c, slot))


def _slice_fields(c: FunctionContext, address: Address) -> tuple[Address, Address]:
    """The places of the two parts of a slice pointer in memory."""
    layout = c.memory(address.storage)
    fields = []
    part_types: tuple[Type, Type] = (Pointer(VOID_QUAL), Scalar("uint", int(c.types.word[1:])))
    for number, type in enumerate(part_types):
        pointer = c.build.gep(layout, address.pointer, integer("i32", 0), integer("i32", number))
        fields.append(replace(address, pointer=pointer, storage=Qual(type, address.storage.rate), shadow=None))
    return fields[0], fields[1]


# --- stores


def store(c: FunctionContext, address: Address, value: IR) -> None:
    """Store under the current mask. A struct value is the address of one."""
    _store(c, address, value, store_mask(c, address))


def store_everywhere(c: FunctionContext, address: Address, value: IR) -> None:
    """Store in all lanes, whatever the mask: first values of variables."""
    _store(c, address, value, None)


def _store(c: FunctionContext, address: Address, value: IR, mask: IR | None) -> None:
    storage = address.storage
    if lane_scalar(storage):
        _store_scalar(c, address, value, mask)
        return
    match storage.type:
        case Struct():
            # A value is as varying as its place; a uniform value for a varying place is broadcast member-wise by copy.
            rate = VARYING if address.is_varying else storage.rate if storage.rate.kind != "soa" else UNIFORM
            _copy(c, address, Address(value, storage.with_rate(rate), private=True), mask)
        case Vector(_, count):
            _store_vector(c, address, value, count, mask)
        case Pointer():
            _store_slice(c, address, value, mask)
        case _:
            raise TypeError(f"{storage} cannot be stored")


def _store_scalar(c: FunctionContext, address: Address, value: IR, mask: IR | None) -> None:
    storage = address.storage
    pointer = address.pointer if address.as_mask else row_or_lane(c, address)
    if address.bounds or address.shadow is not None or address.bounds_variables is not None:
        check_scalar_store(c, address, pointer, value, mask)
    if address.as_mask:
        stored = masks.to_storage(c, broadcast(c, value))
        if mask is not None:
            old = c.build.load(stored.type, address.pointer, alignment(c, address))
            stored = c.build.select(mask, stored, old)
        c.build.store(stored, address.pointer, alignment(c, address))
        return
    if pointer.type[0] == "<":
        stored = broadcast(c, _to_memory(c, value))
        if c.checks.races:
            check_race(c, pointer, stored, mask, bytes_at(c, pointer, storage))
        callee = c.module.pseudo("volta.scatter", element_type(stored.type))
        c.build.emit(f"call void {callee}({stored}, {pointer}, {masks.explicit(c, mask)}){c.debug.attachment()}")
        return
    if storage.rate is not VARYING:
        c.build.store(_to_memory(c, value), pointer, alignment(c, address))
        return
    value = broadcast(c, value)
    if mask is None:
        c.build.store(_to_memory(c, value), pointer, alignment(c, address))
    elif address.private:
        stored = _to_memory(c, value)
        old = c.build.load(stored.type, pointer, alignment(c, address))
        c.build.store(c.build.select(mask, stored, old), pointer, alignment(c, address))
    else:
        stored = _to_memory(c, value)
        callee = c.module.pseudo("volta.store", element_type(stored.type))
        c.build.emit(f"call void {callee}({stored}, {pointer}, {mask}){c.debug.attachment()}")


def _store_vector(c: FunctionContext, address: Address, value: IR, count: int, mask: IR | None) -> None:
    storage = address.storage
    if not address.is_varying and storage.rate is UNIFORM:
        stored = _to_memory(c, value)
        memory = c.memory(storage)
        lanes = lanes_of(memory)
        check_whole_store(c, address)
        if lanes != count:
            stored = c.build.shuffle(stored, poison(stored.type), [*range(count), *[-1] * (lanes - count)])
        c.build.store(stored, address.pointer, alignment(c, address))
        return
    for number, element in enumerate(split_elements(c, value)):
        _store(c, vector_element(c, address, number), element, mask)


def _store_slice(c: FunctionContext, address: Address, value: IR, mask: IR | None) -> None:
    if not address.is_varying and address.slot is None and (mask is None or address.storage.rate is not VARYING):
        check_whole_store(c, address)
        c.build.store(value, address.pointer, c.types.sizes.pointer_bytes)
        return
    block, slot = slice_parts(c, value)
    block_place, slot_place = _slice_fields(c, address)
    _store(c, block_place, block, mask)
    _store(c, slot_place, slot, mask)


# --- copies of whole objects


def copy(c: FunctionContext, to: Address, source: Address, everywhere: bool = False) -> None:
    """Copy an object; lanes that are off keep theirs unless ``everywhere``. What of it was never written may be copied."""
    source = source if source.shadow is None else replace(source, shadow=None)
    _copy(c, to, source, None if everywhere else store_mask(c, to))


def _copy(c: FunctionContext, to: Address, source: Address, mask: IR | None) -> None:
    match to.storage.type:
        case Struct() as struct:
            if _same_bytes(to, source, mask):
                copy_bytes(c, to, source)
                return
            for index in range(len(struct.members or ())):
                _copy(c, member_address(c, to, index), member_address(c, source, index), mask)
        case Array(_, count):
            if _same_bytes(to, source, mask):
                copy_bytes(c, to, source)
            elif (count or 0) <= _UNROLLED_ELEMENTS:
                for number in range(count or 0):
                    _copy(c, vector_element(c, to, number), vector_element(c, source, number), mask)
            else:
                _copy_elements(c, to, source, count or 0, mask)
        case _:
            value = load(c, source)
            if to.storage.rate is VARYING and source.storage.rate is not VARYING and not source.is_varying:
                value = broadcast_value(c, value, Qual(to.storage.type))
            elif source.is_varying and not to.is_varying and to.storage.rate is UNIFORM:
                value = _of_lowest_lane(c, value, to.storage)
            _store(c, to, value, mask)


def _of_lowest_lane(c: FunctionContext, value: IR, qual: Qual) -> IR:
    """What the lowest active lane read for a uniform member, no struct."""
    lanes = masks.bits(c, masks.explicit(c, c.mask))
    # Code that no lane runs has no effect, but may not leave the vector.
    some = c.build.binary("or", lanes, integer(lanes.type, 1 << (c.width - 1)))
    lane = masks.lowest_lane(c, some)
    match qual.type:
        case Vector():
            parts = [c.build.extract(element, lane) for element in split_elements(c, value)]
            result = poison(f"<{len(parts)} x {parts[0].type}>")
            for number, part in enumerate(parts):
                result = c.build.insert(result, part, integer("i64", number))
            return result
        case Pointer(to) if to.rate.kind == "soa":
            block, slot = slice_parts(c, value)
            return join_slice(c, c.build.extract(block, lane), c.build.extract(slot, lane))
    return c.build.extract(value, lane)


def _same_bytes(to: Address, source: Address, mask: IR | None) -> bool:
    if to.is_varying or source.is_varying or to.storage.rate is not source.storage.rate or to.slot is not None:
        return False
    return mask is None or to.storage.rate is UNIFORM


def clear_bytes(c: FunctionContext, pointer: IR, size: int) -> None:
    """Zero this many bytes."""
    callee = c.module.intrinsic("llvm.memset.p0.i64", "void", "ptr", "i8", "i64", "i1 immarg")
    c.build.emit(f"call void {callee}({pointer}, i8 0, i64 {size}, i1 false)")


def copy_bytes(c: FunctionContext, to: Address, source: Address) -> None:
    """All of an object that lies in memory in the same form, whatever the mask."""
    size = c.types.sizes.size(to.storage)
    if to.shadow is not None:
        mark_bytes(c, to.shadow.pointer, size)
    for address, writes in ((source, False), (to, True)):
        if address.bounds:
            check_access(c, address.bounds, address.pointer, size, c.mask, writes)
    if size:
        callee = c.module.text.declare("llvm.memcpy.p0.p0.i64", "void", "ptr, ptr, i64, i1 immarg")
        c.build.emit(f"call void {callee}(ptr {to.pointer.name}, ptr {source.pointer.name}, i64 {size}, i1 false)")


def _copy_elements(c: FunctionContext, to: Address, source: Address, count: int, mask: IR | None) -> None:
    if not c.build.reachable:
        return
    head, done = c.build.block("copy"), c.build.block("copied")
    before = c.build.label
    c.build.start(head)
    number = c.build.value(c.types.word, f"phi {c.types.word} [ 0, %{before} ], [ %{head}.next, %{head}.end ]")
    _copy(c, element_address(c, to, number), element_address(c, source, number), mask)
    c.build.start(f"{head}.end")
    c.build.emit(f"%{head}.next = add nuw nsw {number}, 1")
    more = c.build.compare("icmp ult", IR(c.types.word, f"%{head}.next"), integer(c.types.word, count))
    c.build.branch(more, head, done)
    c.build.start(done)


def broadcast_value(c: FunctionContext, value: IR, qual: Qual) -> IR:
    """A uniform value, no struct, to all lanes."""
    match qual.type:
        case Vector():
            return join_elements(c, [c.build.splat(c.width, element) for element in split_elements(c, value)])
        case Pointer(to) if to.rate.kind == "soa":
            block, slot = slice_parts(c, value)
            return join_slice(c, c.build.splat(c.width, block), c.build.splat(c.width, slot))
    return c.build.splat(c.width, value)
