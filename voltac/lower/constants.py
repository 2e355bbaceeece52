"""Initialisers made of constants -> LLVM constants, for globals, statics and images of braced lists.

Nodes that are no constants give None: the caller then writes code instead, or
reports an internal error where sema promised a constant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.lower.builder import IR, floating, integer, splat_constant, vector_constant, zero
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, Enum, Pointer, Qual, Reference, Scalar, Struct, Vector, member_qual

if TYPE_CHECKING:
    from voltac.lower.module import ModuleContext


def scalar_constant(module: ModuleContext, type: object, value: int | float | bool) -> IR:
    """One lane of a scalar type, in register form."""
    match type:
        case Scalar("bool", _):
            return IR("i1", "true" if value else "false")
        case Scalar("float", _):
            return floating(module.types.lane(type), float(value))
        case Pointer() | Reference():
            return IR("ptr", "null") if value == 0 else IR("ptr", f"inttoptr (i64 {int(value)} to ptr)")
        case Scalar(_, bits):
            number = int(value) & (1 << bits) - 1
            return integer(f"i{bits}", number - (1 << bits) if number >> bits - 1 else number)
        case Enum():
            number = int(value) & 0xFFFFFFFF
            return integer("i32", number - (1 << 32) if number >> 31 else number)
    raise TypeError(f"{type} has no constants")


def _in_memory(constant: IR) -> IR:
    if constant.type == "i1":
        return IR("i8", "1" if constant.name == "true" else "0")
    return constant


def constant_initializer(module: ModuleContext, initial: tree.Initializer | None, storage: Qual) -> IR | None:
    """The constant in memory form for an object of type ``storage``; None if it is none."""
    memory = module.types.memory(storage)
    match initial:
        case None:
            return zero(memory)
        case tree.Aggregate(_, _, elements):
            return _aggregate(module, elements, storage)
        case tree.LaneList(_, _, elements):
            lanes = [_lane(module, element) for element in elements]
            known = [_in_memory(lane) for lane in lanes if lane is not None]
            return vector_constant(known) if len(known) == len(lanes) else None
    if isinstance(storage.type, Vector | Struct | Array):
        if isinstance(initial, tree.Splat) and isinstance(storage.type, Vector):
            return _aggregate(module, (initial.value,) * storage.type.count, storage)
        if isinstance(initial, tree.Broadcast):
            return constant_initializer(module, initial.value, storage)
        return None
    if storage.rate is VARYING:
        return _lanes_in_memory(module, initial)
    lane = _lane(module, initial)
    return None if lane is None else _in_memory(lane)


def _lanes_in_memory(module: ModuleContext, value: tree.Value) -> IR | None:
    match value:
        case tree.ProgramIndex():
            return module.lane_numbers("i32")
        case tree.Broadcast(_, _, inner):
            lane = _lane(module, inner)
        case tree.Convert(_, Qual(Scalar("int" | "uint", bits)), tree.ProgramIndex()):
            return module.lane_numbers(f"i{bits}")
        case tree.Convert(_, Qual(Scalar("float", _) as kind), tree.ProgramIndex()):
            type = module.types.lane(kind)
            return vector_constant([floating(type, float(number)) for number in range(module.types.width)])
        case _:
            lane = _lane(module, value)
    return None if lane is None else splat_constant(module.types.width, _in_memory(lane))


def _lane(module: ModuleContext, value: tree.Value) -> IR | None:
    """A constant scalar, in register form."""
    match value:
        case tree.Constant(_, type, number):
            return scalar_constant(module, type.type, number)
        case tree.FunctionAddress(_, _, function):
            return IR("ptr", module.address_of_function(function))
        case tree.AddressOf(_, _, place):
            return _address(module, place)
        case tree.Convert(_, Qual(Pointer()), inner):
            lane = _lane(module, inner)
            return lane if lane is not None and lane.type == "ptr" else None
        case tree.PointerOffset(_, _, pointer, tree.Constant(_, _, number), negative):
            base = _lane(module, pointer)
            assert isinstance(pointer.type.type, Pointer)
            if base is None:
                return None
            distance = int(number) * module.types.sizes.size(pointer.type.type.to) * (-1 if negative else 1)
            return IR("ptr", f"getelementptr (i8, {base}, i64 {distance})")
    return None


def _address(module: ModuleContext, place: tree.Place) -> IR | None:
    base, offset = _static_place(module, place)
    if base is None or offset == 0:
        return base
    return IR("ptr", f"getelementptr inbounds (i8, {base}, i64 {offset})")


def _static_place(module: ModuleContext, place: tree.Place) -> tuple[IR | None, int]:
    """A global's name and a byte offset in it."""
    sizes = module.types.sizes
    match place:
        case tree.Variable(_, _, _, symbol) if symbol.kind in ("global", "static", "extern"):
            return module.global_address(symbol), 0
        case tree.Element(_, storage, _, aggregate, tree.Constant(_, _, number)):
            base, offset = _static_place(module, aggregate)
            return base, offset + int(number) * sizes.size(storage)
        case tree.MemberPlace(_, _, _, struct, index):
            base, offset = _static_place(module, struct)
            return base, offset + sizes.offsets(struct.storage)[index]
    return None, 0


def _aggregate(module: ModuleContext, elements: tuple[tree.Initializer, ...], storage: Qual) -> IR | None:
    memory = module.types.memory(storage)
    match storage.type:
        case Struct() as struct:
            members = [member_qual(storage, index) for index in range(len(struct.members or ()))]
            parts = _parts(module, elements, members)
            return None if parts is None else _struct_constant(module, storage, parts)
        case Array(element, count):
            parts = _parts(module, elements, [element] * (count or 0))
            opening, closing = "[", "]"
        case Vector(scalar, count):
            uniform = storage.rate is not VARYING
            parts = _parts(module, elements, [Qual(scalar, storage.rate)] * count)
            opening, closing = "<>" if uniform else "[]"
            if parts is not None and uniform:
                total = int(memory[1:].split(" ", 1)[0])
                parts += [zero(parts[0].type)] * (total - count)
        case _:
            if len(elements) == 1:
                return constant_initializer(module, elements[0], storage)
            return zero(memory) if not elements else None
    if parts is None:
        return None
    return IR(memory, f"{opening}{', '.join(map(str, parts))}{closing}" if parts else "zeroinitializer")


def _parts(module: ModuleContext, elements: tuple[tree.Initializer, ...], quals: list[Qual]) -> list[IR] | None:
    out = []
    for number, qual in enumerate(quals):
        part = constant_initializer(module, elements[number] if number < len(elements) else None, qual)
        if part is None:
            return None
        out.append(part)
    return out


def _struct_constant(module: ModuleContext, storage: Qual, parts: list[IR]) -> IR:
    name = module.types.memory(storage)
    definition = module.text.types[name]
    if not definition.startswith("<{"):
        return IR(name, f"{{ {', '.join(map(str, parts))} }}" if parts else "zeroinitializer")
    fields: list[str] = []
    end = 0
    sizes = module.types.sizes
    for part, offset, index in zip(parts, sizes.offsets(storage), range(len(parts))):
        if offset > end:
            fields.append(f"[{offset - end} x i8] zeroinitializer")
        fields.append(str(part))
        end = offset + sizes.size(member_qual(storage, index))
    if sizes.size(storage) > end:
        fields.append(f"[{sizes.size(storage) - end} x i8] zeroinitializer")
    return IR(name, f"<{{ {', '.join(fields)} }}>")
