"""Places -> addresses.

An address is one pointer or a vector of pointers, with the type that lies there.
Addresses are computed from a uniform base with a vector of indices wherever the
base is uniform; uniform and varying parts of an index stay apart as written.
Within soa data a pointer designates a block and ``slot`` the element in it.
"""

from __future__ import annotations

from voltac.lower.checks.bounds import array_bounds, follow, pointed_bounds, set_pointer_bounds
from voltac.lower.function_context import FunctionContext, lowers_place, lowers_value
from voltac.lower.memory.address import Address, Shadow
from voltac.lower.text.ir_values import IR, NULL, integer, zero
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, Enum, Pointer, Qual, Reference, Scalar, Struct, Vector, member_qual


def address_integer(c: FunctionContext, node: tree.Value) -> IR:
    """An index at the width of an address: sign-extended if signed, else zero-extended."""
    word = c.types.word
    match node:
        case tree.Constant(_, type, number):
            constant = integer(word, int(number))
            return c.build.splat(c.width, constant) if type.rate is VARYING else constant
        case tree.Convert(_, Qual(Scalar("int" | "uint", 64)), inner) if _widens(inner.type, node.type):
            # The conversion to the address width is this function's own work.
            return address_integer(c, inner)
    return extend_index(c, c.value(node), node.type)


def _widens(source: Qual, target: Qual) -> bool:
    """Same number after both extensions: the source's own signedness decides either way."""
    match source.type, target.type:
        case Scalar("int" | "uint" as kind, bits), Scalar(to_kind, _):
            return bits < 64 and (kind == "uint" or to_kind == "int")
    return False


def extend_index(c: FunctionContext, value: IR, qual: Qual) -> IR:
    """An integer at the width of an address: sign-extended if signed, else zero-extended, or cut off."""
    word = c.types.word
    lane = c.types.lane(qual.type)
    if lane == word:
        return value
    wanted = f"<{c.width} x {word}>" if qual.rate is VARYING else word
    if int(lane[1:]) > int(word[1:]):
        return c.build.convert("trunc", value, wanted)
    signed = isinstance(qual.type, Scalar) and qual.type.is_signed
    return c.build.convert("sext" if signed else "zext", value, wanted)


@lowers_place(tree.Deref)
def lower_deref(c: FunctionContext, node: tree.Deref) -> Address:
    """What a pointer points to; of a slice pointer the block, and the slot in it."""
    pointer = c.value(node.pointer)
    bounds = pointed_bounds(c, pointer, node.pointer.type) if c.checks.accesses else ()
    if c.types.is_slice(node.pointer.type):
        block, slot = slice_parts(c, pointer)
        return Address(block, node.storage, slot=slot, bounds=bounds)
    return Address(pointer, node.storage, bounds=bounds)


@lowers_place(tree.Element)
def lower_element(c: FunctionContext, node: tree.Element) -> Address:
    """The aggregate comes before the index."""
    aggregate = c.place(node.aggregate)
    index = address_integer(c, node.index)
    element = element_address(c, aggregate, index)
    if c.checks.accesses:
        return replace(element, bounds=array_bounds(c, aggregate, element, _name_of(node.aggregate)))
    return element


def _name_of(place: tree.Place) -> str:
    """What the program calls it, for messages."""
    match place:
        case tree.Variable(symbol=symbol):
            return symbol.name
        case tree.MemberPlace(struct=struct, index=index):
            assert isinstance(struct.storage.type, Struct)
            return (struct.storage.type.members or ())[index].name
        case tree.Element(aggregate=aggregate):
            return f"{name}[...]" if (name := _name_of(aggregate)) else ""
    return ""


def element_address(c: FunctionContext, aggregate: Address, index: IR) -> Address:
    """Element of an array or short vector, by an index of the address width."""
    match aggregate.storage.type:
        case Array(element, _):
            storage = element
        case Vector(scalar, _):
            storage = Qual(scalar, aggregate.storage.rate)
        case other:
            raise TypeError(f"{other} has no elements")
    varying = index.type[0] == "<"
    if storage.rate.kind == "soa" and isinstance(storage.type, Struct) and aggregate.slot is None:
        # An array of blocks: the index counts logical elements. With a slot it is an array within a block.
        first = Address(aggregate.pointer, storage, slot=integer(c.types.word, 0), bounds=aggregate.bounds)
        return _move_slice(c, first, index)
    pointer = c.build.gep(c.memory(storage), aggregate.pointer, index)
    return Address(
        pointer,
        storage,
        private=aggregate.private and not varying,
        home=None if varying else aggregate.home,
        slot=aggregate.slot,
        bounds=aggregate.bounds,
        shadow=_moved(c, aggregate.shadow, c.memory(storage), index),
    )


def _moved(c: FunctionContext, shadow: Shadow | None, type: str, *indices: IR) -> Shadow | None:
    """To the same part."""
    return None if shadow is None else replace(shadow, pointer=c.build.gep(type, shadow.pointer, *indices))


@lowers_place(tree.MemberPlace)
def lower_member_place(c: FunctionContext, node: tree.MemberPlace) -> Address:
    """A member of a struct, at the struct's rate."""
    return member_address(c, c.place(node.struct), node.index)


def member_address(c: FunctionContext, struct: Address, index: int) -> Address:
    """Member number ``index`` as the language counts, without the padding that LLVM types have."""
    number = c.types.member_index(struct.storage, index)
    indices = integer("i32", 0), integer("i32", number)
    pointer = c.build.gep(c.memory(struct.storage), struct.pointer, *indices)
    storage = member_qual(struct.storage, index).with_const(False)
    shadow = _moved(c, struct.shadow, c.memory(struct.storage), *indices)
    return replace(struct, pointer=pointer, storage=storage, shadow=shadow)


def row_or_lane(c: FunctionContext, address: Address) -> IR:
    """Pointer or pointers to the scalar itself: the slot of soa data, the lane's element of a row."""
    pointer = address.pointer
    lane = c.types.lane_in_memory(address.storage.type)
    if address.slot is not None:
        pointer = c.build.gep(lane, pointer, address.slot)
    if address.storage.rate is VARYING and pointer.type[0] == "<":
        pointer = c.build.gep(lane, pointer, c.lanes(c.types.word))
    return pointer


def new_object(c: FunctionContext, qual: Qual, name: str = "temporary", alignment: int = 0) -> Address:
    """A fresh local object, uninitialised."""
    natural = c.types.object_alignment(qual)
    return Address(c.build.alloca(c.memory(qual), max(natural, alignment, 1), name), qual, private=True)


# --- pointers as values


@lowers_value(tree.AddressOf)
def lower_address_of(c: FunctionContext, node: tree.AddressOf) -> IR:
    """No access is made."""
    return pointer_to(c, c.place(node.place))


def pointer_to(c: FunctionContext, address: Address) -> IR:
    """The pointer value of an address; a slice pointer to soa data, at slot 0 of what is one block as a whole."""
    pointer = address.pointer
    if address.slot is not None:
        pointer = join_slice(c, address.pointer, address.slot)
    elif address.storage.rate.kind == "soa":
        pointer = join_slice(c, address.pointer, integer(c.types.word, 0))
    if c.checks.accesses:
        set_pointer_bounds(c, pointer, address)
    return pointer


@lowers_value(tree.PointerOffset)
def lower_pointer_offset(c: FunctionContext, node: tree.PointerOffset) -> IR:
    """Counted in elements, at the width of an address."""
    pointer = c.value(node.pointer)
    index = address_integer(c, node.index)
    return offset_pointer(c, pointer, node.pointer.type, index, node.negative)


def offset_pointer(c: FunctionContext, pointer: IR, type: Qual, index: IR, negative: bool) -> IR:
    """``pointer + index`` elements, or minus."""
    if negative:
        index = c.build.binary("sub", zero(index.type), index)
    assert isinstance(type.type, Pointer)
    if c.types.is_slice(type):
        block, slot = slice_parts(c, pointer)
        address = _move_slice(c, Address(block, type.type.to, slot=slot), index)
        assert address.slot is not None
        moved = join_slice(c, address.pointer, address.slot)
    else:
        moved = c.build.gep(c.memory(type.type.to), pointer, index)
    if c.checks.accesses:
        follow(c, pointer, moved)
    return moved


@lowers_value(tree.PointerDifference)
def lower_pointer_difference(c: FunctionContext, node: tree.PointerDifference) -> IR:
    """In elements; both point into the same array, else the result is anything."""
    left, right = c.value(node.left), c.value(node.right)
    type = node.left.type
    assert isinstance(type.type, Pointer)
    varying = type.rate is VARYING
    if c.types.is_slice(type):
        width = type.type.to.rate.width
        parts = []
        for side in (left, right):
            block, slot = slice_parts(c, side)
            parts.append((c.build.convert("ptrtoint", block, slot.type), slot))
        (left_block, left_slot), (right_block, right_slot) = parts
        bytes_ = c.build.binary("sub", left_block, right_block)
        size = _same(c, c.types.sizes.size(type.type.to), bytes_)
        blocks = c.build.binary("sdiv exact", bytes_, size)
        elements = c.build.binary("mul", blocks, _same(c, width, bytes_))
        distance = c.build.binary("add", elements, c.build.binary("sub", left_slot, right_slot))
    else:
        word = f"<{c.width} x {c.types.word}>" if varying else c.types.word
        bytes_ = c.build.binary("sub", c.build.convert("ptrtoint", left, word), c.build.convert("ptrtoint", right, word))
        distance = c.build.binary("sdiv exact", bytes_, _same(c, c.types.sizes.size(type.type.to), bytes_))
    wanted = c.register(node.type)
    return distance if distance.type == wanted else c.build.convert("trunc", distance, wanted)


def _same(c: FunctionContext, number: int, like: IR) -> IR:
    """A constant of another value's type."""
    if like.type[0] == "<":
        return c.build.splat(c.width, integer(c.types.word, number))
    return integer(like.type, number)


# --- slice pointers


def slice_parts(c: FunctionContext, pointer: IR) -> tuple[IR, IR]:
    """Block address and slot."""
    word = c.types.word
    if "<" in pointer.type:
        return (
            c.build.member(pointer, 0, f"<{c.width} x ptr>"),
            c.build.member(pointer, 1, f"<{c.width} x {word}>"),
        )
    return c.build.member(pointer, 0, "ptr"), c.build.member(pointer, 1, word)


def join_slice(c: FunctionContext, block: IR, slot: IR) -> IR:
    """A slice pointer of a block and a slot in it, varying if one of them is."""
    if block.type[0] == "<" or slot.type[0] == "<":
        block = block if block.type[0] == "<" else c.build.splat(c.width, block)
        slot = slot if slot.type[0] == "<" else c.build.splat(c.width, slot)
    type = f"{{ {block.type}, {slot.type} }}"
    return c.build.with_member(c.build.with_member(IR(type, "poison"), block, 0), slot, 1)


def null_slice(c: FunctionContext) -> IR:
    """The uniform one."""
    return join_slice(c, NULL, integer(c.types.word, 0))


def _move_slice(c: FunctionContext, address: Address, index: IR) -> Address:
    """Move within soa data by a number of logical elements."""
    width = address.storage.rate.width
    assert address.slot is not None
    position = index
    if address.slot.name != "0":
        slot = address.slot
        if index.type[0] == "<" and slot.type[0] != "<":
            slot = c.build.splat(c.width, slot)
        elif slot.type[0] == "<" and index.type[0] != "<":
            position = c.build.splat(c.width, index)
        position = c.build.binary("add nsw", slot, position)
    block = c.build.binary("ashr", position, _same(c, width.bit_length() - 1, position))
    slot = c.build.binary("and", position, _same(c, width - 1, position))
    pointer = c.build.gep(c.memory(address.storage), address.pointer, block)
    return replace(address, pointer=pointer, slot=slot)


def lane_scalar(qual: Qual) -> bool:
    """One machine value a lane: scalars, enums and ordinary pointers."""
    match qual.type:
        case Scalar() | Enum() | Reference():
            return True
        case Pointer(to):
            return to.rate.kind != "soa"
    return False
