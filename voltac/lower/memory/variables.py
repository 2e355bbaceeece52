"""Variables and their first values: declarations, initialisers, temporaries."""

from __future__ import annotations

from voltac.lower.checks.bounds import bounds_variables, name_bounds
from voltac.lower.checks.unwritten import new_shadow
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext, lowers_place, lowers_statement
from voltac.lower.memory.address import Address
from voltac.lower.memory.constant_data import constant_initializer
from voltac.lower.memory.memory_access import alignment, broadcast, clear_bytes, copy, store_everywhere
from voltac.lower.memory.places import element_address, lane_scalar, member_address, new_object
from voltac.lower.text.ir_values import IR, integer, poison, zero
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, Enum, Pointer, Qual, Reference, Scalar, Struct, Type, Vector

_CONSTANT_IMAGE_ELEMENTS = 4
"""A braced list of more constants than this is copied from an image in the object file."""
_MOST_NUMBERS = 16
"""Of an object that is expected to become registers: there are as many. Chosen, not measured."""


@lowers_place(tree.Variable)
def lower_variable(c: FunctionContext, node: tree.Variable) -> Address:
    """Where a variable is; one without storage gets a copy, which nobody writes to."""
    known = c.variables.addresses.get(node.symbol)
    if known is not None:
        return known
    if node.symbol in c.variables.values:
        return temporary(c, c.variables.values[node.symbol], node.symbol.type)
    return Address(c.module.global_address(node.symbol), node.symbol.type)


@lowers_place(tree.Temporary)
def lower_temporary(c: FunctionContext, node: tree.Temporary) -> Address:
    """An object with the value, for what has to have an address."""
    value = c.value(node.value)
    if isinstance(node.storage.type, Struct):
        return Address(value, node.storage, private=True)
    return temporary(c, value, node.storage)


def temporary(c: FunctionContext, value: IR, qual: Qual) -> Address:
    """A fresh local object with a value that is no struct."""
    address = new_object(c, qual)
    store_everywhere(c, address, value)
    return address


def declare(c: FunctionContext, symbol: tree.VariableSymbol) -> Address:
    """Storage for a local variable or parameter."""
    # Through its address other lanes' parts of a variable can be seen.
    home = None if symbol.address_taken else c.region
    qual = symbol.type
    if qual.rate is VARYING and isinstance(qual.type, Scalar) and qual.type.kind == "bool" and not symbol.address_taken:
        pointer = c.build.alloca(c.types.mask_storage, masks.storage_alignment(c), symbol.name)
        address = Address(pointer, qual, private=True, as_mask=True, home=home)
    else:
        fresh = new_object(c, qual, symbol.name, symbol.alignment)
        address = Address(fresh.pointer, qual, private=True, home=home)
    if c.checks.accesses:
        address = replace(address, bounds_variables=bounds_variables(c, symbol), name=symbol.name)
    c.variables.addresses[symbol] = address
    c.debug.declare(symbol, address)
    return address


def set_value(c: FunctionContext, symbol: tree.VariableSymbol, value: IR) -> None:
    """A variable that needs no storage has this value in the code that follows."""
    c.variables.values[symbol] = value
    if c.checks.accesses:
        name_bounds(c, symbol, value)
    if c.debug.keeps_values and c.build.reachable:
        place = new_object(c, symbol.type, symbol.name)
        store_everywhere(c, place, value)
        c.debug.declare(symbol, place)
    else:
        c.debug.value(symbol, value)


@lowers_statement(tree.Declare)
def lower_declare(c: FunctionContext, node: tree.Declare) -> None:
    """Storage and first value in all lanes; a scalar that never changes is a value only."""
    symbol = node.symbol
    if symbol.kind == "static":
        c.debug.static_variable(symbol, c.module.global_address(symbol).name)
        return
    initial = node.initial
    if isinstance(initial, tree.Value) and is_plain_value(symbol) and c.values_dominate:
        set_value(c, symbol, c.value(initial))
        c.variables.first[symbol] = initial
        return
    address = declare(c, symbol)
    if initial is not None:
        initialise(c, address, initial)
    elif c.checks.unwritten:
        c.variables.addresses[symbol] = replace(address, shadow=new_shadow(c, symbol))
    else:
        forget(c, address)


def forget(c: FunctionContext, address: Address) -> None:
    """What a fresh object holds is anything: else it would be what it was in the iteration before, and iterations wait for
    each other."""
    if c.options.level == 0 or _numbers(address.storage.type) > _MOST_NUMBERS:
        return
    if address.as_mask:
        c.build.store(IR(c.types.mask_storage, "undef"), address.pointer, masks.storage_alignment(c))
    else:
        c.build.store(IR(c.memory(address.storage), "undef"), address.pointer, c.types.alignment(address.storage))


def _numbers(type: Type) -> int:
    """How many machine values a type is made of; too many where it holds arrays, which mostly stay in memory."""
    match type:
        case Scalar() | Enum() | Reference() | Pointer():
            return 1
        case Vector(_, count):
            return count
        case Struct(members=members) if members is not None:
            return sum(_numbers(member.qual.type) for member in members)
    return _MOST_NUMBERS + 1


def is_plain_value(symbol: tree.VariableSymbol) -> bool:
    """A scalar that keeps its first value: it needs no storage."""
    return not symbol.assigned and not symbol.address_taken and lane_scalar(symbol.type)


def initialise(c: FunctionContext, address: Address, initial: tree.Initializer) -> None:
    """Give a fresh object its first value, in all lanes."""
    match initial:
        case tree.Aggregate():
            _initialise_aggregate(c, address, initial)
        case tree.LaneList():
            store_everywhere(c, address, lane_values(c, initial))
        case tree.Load(_, _, place) if isinstance(address.storage.type, Struct):
            source = c.place(place)
            c.debug.span = place.span
            copy(c, address, source, everywhere=True)
        case _:
            value = c.value(initial)
            if isinstance(address.storage.type, Struct):
                copy(c, address, Address(value, initial.type, private=True), everywhere=True)
            else:
                store_everywhere(c, address, value)


def lane_values(c: FunctionContext, initial: tree.LaneList) -> IR:
    """A value for each lane."""
    value = poison(f"<{c.width} x {c.types.lane(initial.type.type)}>")
    for number, element in enumerate(initial.elements):
        value = c.build.insert(value, c.value(element), integer("i64", number))
    return value


def _initialise_aggregate(c: FunctionContext, address: Address, initial: tree.Aggregate) -> None:
    type = address.storage.type
    if len(initial.elements) > _CONSTANT_IMAGE_ELEMENTS and not address.is_varying and address.slot is None:
        image = constant_initializer(c.module, initial, address.storage)
        if image is not None:
            source = c.module.constant_image(image, c.types.sizes.alignment(address.storage))
            copy(c, address, Address(source, address.storage), everywhere=True)
            return
    for number, element in enumerate(initial.elements):
        part = part_address(c, address, number)
        if isinstance(type, Vector) and lane_scalar(part.storage) and not isinstance(element, tree.Aggregate | tree.LaneList):
            value = c.value(element)
            store_everywhere(c, part, broadcast(c, value) if address.storage.rate is VARYING else value)
        else:
            initialise(c, part, element)
    _clear_rest(c, address, len(initial.elements))


def part_count(type: Type) -> int:
    """How many parts a braced list for an object can have; 0 where it has none."""
    match type:
        case Struct() as struct:
            return len(struct.members or ())
        case Array(_, count):
            return count or 0
        case Vector(_, count):
            return count
    return 0


def part_address(c: FunctionContext, address: Address, number: int) -> Address:
    """Part ``number`` of an object, as a braced list counts them: of soa data blocks, and in them the slots of a scalar."""
    storage = address.storage
    position = integer(c.types.word, number)
    if isinstance(storage.type, Struct):
        return member_address(c, address, number)
    if storage.rate.kind != "soa":
        return element_address(c, address, position)
    if not isinstance(storage.type, Array | Vector):
        return replace(address, slot=position)
    element = storage.type.element if isinstance(storage.type, Array) else Qual(storage.type.element, storage.rate)
    return replace(address, pointer=c.build.gep(c.memory(element), address.pointer, position), storage=element)


def _clear_rest(c: FunctionContext, address: Address, given: int) -> None:
    """Zero the elements that a braced list does not mention."""
    total = part_count(address.storage.type)
    if given >= total:
        return
    if isinstance(address.storage.type, Array) and total - given > 1:
        first = part_address(c, address, given)
        size = c.types.sizes.size(first.storage) * (total - given)
        clear_bytes(c, first.pointer, size)
        return
    for number in range(given, total):
        _clear(c, part_address(c, address, number))


def _clear(c: FunctionContext, address: Address) -> None:
    """Make an object zero in all lanes."""
    storage = address.storage
    match storage.type:
        case Struct() | Array():
            _clear_rest(c, address, 0)
        case _:
            if lane_scalar(storage):
                store_everywhere(c, address, zero(c.register(storage)))
            else:
                c.build.store(zero(c.memory(storage)), address.pointer, alignment(c, address))
