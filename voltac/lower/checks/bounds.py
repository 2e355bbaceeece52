"""Every pointer has bounds: those of the array it was made from. Accesses outside of them fail.

Values of pointers in a function are known by their names, with the bounds beside them; variables that hold pointers
have two more that hold the bounds, and functions take them as hidden parameters (after Nagarakatte et al.,
"SoftBound", PLDI 2009). A pointer of which nothing is known, such as one loaded from memory, is looked up among
the arrays of the call (after Jones and Kelly, "Backwards-compatible bounds checking", AADEBUG 1997); what is in none
of them is somebody else's memory, and all of it is allowed but what a null pointer points to.
"""

from __future__ import annotations

from functools import partial

from voltac.lower.checks.failed_check import fail_in_lanes, in_lane
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import OUTSIDE
from voltac.lower.function_context import FunctionContext
from voltac.lower.memory.address import Address, PointerBounds
from voltac.lower.text.ir_values import IR, integer, lanes_of, zero
from voltac.messages.visible import bytes_of
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, FunctionType, Pointer, Qual, Reference, Vector

LOOK_UP, LOOK_UP_EACH = "voltac.bounds", "voltac.bounds_each"
OF_PARAMETER = "voltac.parameter_bounds"
CALLED_FROM = "voltac.called_from"
"""Functions of ``voltac/python/failures.py``; the last notes where the program calls the library."""

EVERYWHERE = (1 << 63) - 1
"""Bytes, from address 0: memory that nothing is known of."""


def has_bounds(c: FunctionContext, qual: Qual) -> bool:
    """Whether values of a type are pointers to data, or references."""
    if not c.checks.accesses or not isinstance(qual.type, Pointer | Reference):
        return False
    return not isinstance(qual.type.to.type, FunctionType)


def bounds_types(qual: Qual, width: int) -> list[str]:
    """Of the hidden parameters that go with a pointer."""
    return [f"<{width} x i64>" if qual.rate is VARYING else "i64"] * 2


def bounds_of(c: FunctionContext, pointer: IR) -> PointerBounds:
    """Those known of a value, or those of the array of the call that it points into."""
    known = c.pointer_bounds.get(pointer.name)
    if known is not None:
        return known
    single = c.build.splats.get(pointer.name)
    if single is not None:
        return bounds_of(c, single)
    if pointer.type[0] == "{":
        # A slice pointer: the block and the slot in it.
        pointer = c.build.member(pointer, 0, pointer.type[2:].split(", ")[0])
    if pointer.type[0] == "<":
        return _look_up_each(c, pointer)
    callee = c.module.text.declare(LOOK_UP, "{ i64, i64 }", "ptr", "nounwind willreturn memory(read)")
    return _pair(c, c.build.value("{ i64, i64 }", f"call {{ i64, i64 }} {callee}({pointer})"))


def _pair(c: FunctionContext, both: IR) -> PointerBounds:
    return PointerBounds(c.build.member(both, 0, "i64"), c.build.member(both, 1, "i64"))


def _look_up_each(c: FunctionContext, pointers: IR) -> PointerBounds:
    lanes, size = lanes_of(pointers.type), 8 * lanes_of(pointers.type)
    given, starts, bytes_ = (c.build.alloca(f"<{lanes} x {element}>", size, "bounds") for element in ("ptr", "i64", "i64"))
    c.build.store(pointers, given, size)
    on = masks.bits(c, masks.explicit(c, c.mask)) if lanes == c.width else integer(f"i{lanes}", -1)
    wide = on if on.type == "i64" else c.build.convert("zext", on, "i64")
    callee = c.module.text.declare(LOOK_UP_EACH, "void", "ptr, ptr, ptr, i64, i64", "nounwind willreturn")
    c.build.emit(f"call void {callee}({given}, {starts}, {bytes_}, {wide}, i64 {lanes})")
    type = f"<{lanes} x i64>"
    return PointerBounds(c.build.load(type, starts, size), c.build.load(type, bytes_, size))


def set_bounds(c: FunctionContext, pointer: IR, bounds: PointerBounds) -> None:
    """What a value points into; of a constant address, everywhere in the function."""
    if pointer.name not in ("null", "zeroinitializer", "poison"):
        c.pointer_bounds[pointer.name] = bounds


def follow(c: FunctionContext, pointer: IR, moved: IR) -> None:
    """A pointer made of another one points into the same array."""
    if moved.name != pointer.name:
        set_bounds(c, moved, bounds_of(c, pointer))


def own_bounds(c: FunctionContext, address: Address, name: str = "") -> PointerBounds:
    """Of an object: itself."""
    size = c.types.sizes.size(address.storage)
    return PointerBounds(_number(c, address.pointer), integer("i64", size), name, size)


def set_parameter_bounds(c: FunctionContext, parameter: tree.VariableSymbol, value: IR, position: int, hidden: bool) -> None:
    """As the caller gives them, or as the call from Python has them for the parameter at a position."""
    if not has_bounds(c, parameter.type):
        return
    if hidden:
        type = bounds_types(parameter.type, c.width)[0]
        found = PointerBounds(IR(type, f"%p{position}.start"), IR(type, f"%p{position}.bytes"))
    elif c.symbol.exported and value.type == "ptr":
        callee = c.module.text.declare(OF_PARAMETER, "{ i64, i64 }", "ptr, i64", "nounwind willreturn memory(read)")
        found = _pair(c, c.build.value("{ i64, i64 }", f"call {{ i64, i64 }} {callee}({value}, i64 {position})"))
    else:
        found = bounds_of(c, value)
    set_bounds(c, value, replace(found, name=parameter.name))


def name_bounds(c: FunctionContext, symbol: tree.VariableSymbol, value: IR) -> None:
    """A variable that never changes is the name of what it points into, where that has none."""
    known = c.pointer_bounds.get(value.name)
    if known is not None and not known.name:
        set_bounds(c, value, replace(known, name=symbol.name))


def hidden_parameters(c: FunctionContext, parameters: tuple[tree.VariableSymbol, ...]) -> list[str]:
    """Their texts, for the signature of a function."""
    return [
        f"{bounds_types(parameter.type, c.width)[0]} %p{number}.{part}"
        for number, parameter in enumerate(parameters)
        if has_bounds(c, parameter.type)
        for part in ("start", "bytes")
    ]


def hidden_arguments(c: FunctionContext, arguments: list[IR], types: tuple[Qual, ...]) -> list[IR]:
    """What a call passes for :func:`hidden_parameters`."""
    passed = []
    for value, qual in zip(arguments, types, strict=True):
        if has_bounds(c, qual):
            bounds = bounds_of(c, value)
            type = bounds_types(qual, c.width)[0]
            passed += [_widened(c, part, type) for part in (bounds.start, bounds.bytes)]
    return passed


def _widened(c: FunctionContext, value: IR, type: str) -> IR:
    return value if value.type == type else c.build.splat(lanes_of(type), value)


# --- variables that hold pointers


def bounds_variables(c: FunctionContext, symbol: tree.VariableSymbol) -> tuple[IR, IR] | None:
    """Where the bounds of what a variable holds are kept; None if it holds no pointer, or others may write it."""
    if not has_bounds(c, symbol.type) or symbol.address_taken or c.types.is_slice(symbol.type):
        return None
    type, _ = bounds_types(symbol.type, c.width)
    size = 8 * (c.width if type[0] == "<" else 1)
    start, bytes_ = (c.build.alloca(type, size, f"{symbol.name}.bounds") for _ in range(2))
    return start, bytes_


def keep_bounds(c: FunctionContext, variables: tuple[IR, IR], value: IR, mask: IR | None) -> None:
    """A pointer is stored to a variable."""
    bounds = bounds_of(c, value)
    type = f"<{lanes_of(value.type)} x i64>" if value.type[0] == "<" else "i64"
    for place, part in zip(variables, (bounds.start, bounds.bytes), strict=True):
        stored = _widened(c, part, type)
        size = 8 * (lanes_of(type) if type[0] == "<" else 1)
        if mask is not None and type[0] == "<":
            stored = c.build.select(mask, stored, c.build.load(type, place, size))
        c.build.store(stored, place, size)


def kept_bounds(c: FunctionContext, variables: tuple[IR, IR], value: IR, name: str) -> None:
    """A pointer was loaded from a variable."""
    type = f"<{lanes_of(value.type)} x i64>" if value.type[0] == "<" else "i64"
    size = 8 * (lanes_of(type) if type[0] == "<" else 1)
    start, bytes_ = (c.build.load(type, place, size) for place in variables)
    set_bounds(c, value, PointerBounds(start, bytes_, name))


# --- addresses


def pointed_bounds(c: FunctionContext, pointer: IR, qual: Qual) -> tuple[PointerBounds, ...]:
    """Of what a pointer of a type points to."""
    if not has_bounds(c, qual):
        return ()
    assert isinstance(qual.type, Pointer | Reference)
    return (replace(bounds_of(c, pointer), unit=c.types.sizes.size(qual.type.to)),)


def array_bounds(c: FunctionContext, array: Address, element: Address, name: str) -> tuple[PointerBounds, ...]:
    """Of an element of an array or short vector: those of what that lies in, and its own."""
    if array.slot is not None:
        # An array within a block of soa data, whose elements are rows of slots.
        return array.bounds
    assert isinstance(array.storage.type, Array | Vector)
    unit = c.types.sizes.size(element.storage)
    if not array.storage.type.count:
        return array.bounds or (PointerBounds(integer("i64", 0), integer("i64", EVERYWHERE), name, unit),)
    size = c.types.sizes.size(array.storage)
    return (*array.bounds, PointerBounds(_number(c, array.pointer), integer("i64", size), name, unit))


def set_pointer_bounds(c: FunctionContext, pointer: IR, address: Address) -> None:
    """Of the address of an object: all of the array that it is in, however deep."""
    set_bounds(c, pointer, address.bounds[0] if address.bounds else own_bounds(c, address))


def set_allocated_bounds(c: FunctionContext, pointer: IR, size: int, count: IR | None) -> None:
    """Of new memory: so many objects of ``size`` bytes at the address, or at that of each lane."""
    at = _number(c, pointer)
    if count is None:
        set_bounds(c, pointer, PointerBounds(at, _widened(c, integer("i64", size), at.type)))
        return
    lanes = lanes_of(count.type)
    word = f"<{lanes} x i64>" if lanes else "i64"
    wide = count if count.type == word else c.build.convert("zext", count, word)
    bytes_ = c.build.binary("mul", wide, _widened(c, integer("i64", size), word))
    set_bounds(c, pointer, PointerBounds(at, _widened(c, bytes_, at.type)))


def _number(c: FunctionContext, pointer: IR) -> IR:
    type = f"<{lanes_of(pointer.type)} x i64>" if pointer.type[0] == "<" else "i64"
    return c.build.convert("ptrtoint", pointer, type)


# --- accesses


def check_access(
    c: FunctionContext, bounds: tuple[PointerBounds, ...], pointer: IR, size: int | IR, mask: IR | None, writes: bool
) -> None:
    """``size`` bytes at an address, or at that of each lane that is on, lie within the bounds; or the kernel fails."""
    # The innermost array is what the program names.
    for one in reversed(bounds):
        at = _number(c, pointer)
        start, bytes_ = _widened(c, one.start, at.type), _widened(c, one.bytes, at.type)
        wanted = size if isinstance(size, IR) else integer("i64", size)
        offset = c.build.binary("sub", at, start)
        # Both are signed: an array of fewer bytes than an element has room for none.
        last = c.build.binary("sub", bytes_, _widened(c, wanted, at.type))
        below = c.build.compare("icmp slt", offset, zero(at.type))
        outside = c.build.binary("or", below, c.build.compare("icmp sgt", offset, last))
        if isinstance(size, IR):
            some = c.build.compare("icmp ne", size, integer("i64", 0))
            outside = c.build.binary("and", outside, some)
        fail_in_lanes(
            c,
            outside,
            mask,
            OUTSIDE,
            ("writes" if writes else "reads", one.name, str(one.unit)),
            partial(_described, c, offset, bytes_, start, wanted),
        )


def check_called(c: FunctionContext, functions: IR) -> None:
    """A pointer to a function, or that of each lane that is on, is not null; or the kernel fails."""
    null = c.build.compare("icmp eq", functions, zero(functions.type))
    fail_in_lanes(c, null, c.mask, OUTSIDE, ("calls", "", "1"), lambda lane: [zero("i64")] * 3)


def _described(c: FunctionContext, offset: IR, bytes_: IR, start: IR, size: IR, lane: IR | None) -> list[IR]:
    """Where the access begins, what there is, and its own bytes, 0 for one through a null pointer."""
    first = in_lane(c, start, lane)
    null = c.build.compare("icmp eq", first, zero("i64"))
    return [in_lane(c, offset, lane), in_lane(c, bytes_, lane), c.build.select(null, zero("i64"), size)]


def note_call(c: FunctionContext, function: tree.FunctionSymbol) -> None:
    """The library is called: what it does wrong with its arguments, it does here."""
    if function.library and not c.symbol.library and any(has_bounds(c, qual) for qual in function.type.parameters):
        span = c.debug.span
        text = c.module.text.text_constant(bytes_of(f"{span.file}:{span.line}:{span.column}: "))
        c.build.emit(f"call void {c.module.text.declare(CALLED_FROM, 'void', 'ptr', 'nounwind willreturn')}({text})")
