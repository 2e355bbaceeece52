"""Initialisers made of constants -> LLVM constants, for globals, statics and images of braced lists.

Nodes that are no constants give None: the caller then writes code instead, or
reports an internal error where sema promised a constant.
"""

from __future__ import annotations

from typing import Protocol

from voltac.lower.text.ir_values import IR, floating, integer, splat_constant, vector_constant, zero
from voltac.lower.text.llvm_types import TypeLayout
from voltac.lower.text.module_builder import ModuleBuilder
from voltac.sema import tree
from voltac.sema.types import VARYING, Array, Enum, Pointer, Qual, Reference, Scalar, Struct, Vector, member_qual


class ModuleNames(Protocol):
    """What constants are made of besides numbers: types of the target, and addresses of what they mention."""

    types: TypeLayout
    text: ModuleBuilder

    def lane_numbers(self, type: str) -> IR:
        """``<0, 1, .. W-1>`` of a scalar type."""

    def global_address(self, symbol: tree.VariableSymbol) -> IR:
        """The address of a global or static variable."""

    def address_of_function(self, symbol: tree.FunctionSymbol) -> str:
        """What a function pointer holds."""


def scalar_constant(module: ModuleNames, type: object, value: int | float | bool) -> IR:
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


def constant_initializer(module: ModuleNames, initial: tree.Initializer | None, storage: Qual) -> IR | None:
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
    if module.types.is_slice(storage):
        return _slice_constant(module, initial, storage)
    if storage.rate is VARYING:
        return _lanes_in_memory(module, initial)
    lane = _lane(module, initial)
    return None if lane is None else _in_memory(lane)


def _slice_constant(module: ModuleNames, value: tree.Value, storage: Qual) -> IR | None:
    """A slice pointer: a block and a slot in it, for all lanes the same."""
    parts = _slice(module, value)
    if parts is None:
        return None
    block, slot = parts[0], integer(module.types.word, parts[1])
    if storage.rate is VARYING:
        block, slot = (splat_constant(module.types.width, part) for part in (block, slot))
    return IR(f"{{ {block.type}, {slot.type} }}", f"{{ {block}, {slot} }}")


def _slice(module: ModuleNames, value: tree.Value) -> tuple[IR, int] | None:
    match value:
        case tree.Constant():
            return scalar_constant(module, value.type.type, value.value), 0
        case tree.Broadcast(_, _, inner) | tree.Convert(_, _, inner) if isinstance(inner.type.type, Pointer):
            return _slice(module, inner)
        case tree.AddressOf(_, _, place):
            base, offset, slot = _static_place(module, place)
            return None if base is None else (_behind(base, offset), slot)
        case tree.PointerOffset(_, Qual(Pointer(to)), pointer, tree.Constant(_, _, number), negative):
            before = _slice(module, pointer)
            if before is None:
                return None
            blocks, slot = divmod(before[1] + int(number) * (-1 if negative else 1), to.rate.width)
            return _behind(before[0], blocks * module.types.sizes.size(to)), slot
    return None


def _behind(base: IR, offset: int) -> IR:
    return base if not offset else IR("ptr", f"getelementptr (i8, {base}, i64 {offset})")


def _lanes_in_memory(module: ModuleNames, value: tree.Value) -> IR | None:
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


def _lane(module: ModuleNames, value: tree.Value) -> IR | None:
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
            return _behind(base, distance)
    return None


def _address(module: ModuleNames, place: tree.Place) -> IR | None:
    base, offset, _ = _static_place(module, place)
    return None if base is None else _behind(base, offset)


def _static_place(module: ModuleNames, place: tree.Place) -> tuple[IR | None, int, int]:
    """A global's name, a byte offset in it, and the slot within soa data."""
    sizes = module.types.sizes
    match place:
        case tree.Variable(_, _, _, symbol) if symbol.kind in ("global", "static", "extern"):
            return module.global_address(symbol), 0, 0
        case tree.Element(_, storage, _, aggregate, tree.Constant(_, _, number)):
            base, offset, slot = _static_place(module, aggregate)
            index = int(number)
            if tree.counts_slots(aggregate):
                index, slot = divmod(index, storage.rate.width)
            return base, offset + index * sizes.size(storage), slot
        case tree.MemberPlace(_, _, _, struct, index):
            base, offset, slot = _static_place(module, struct)
            return base, offset + sizes.offsets(struct.storage)[index], slot
    return None, 0, 0


def _aggregate(module: ModuleNames, elements: tuple[tree.Initializer, ...], storage: Qual) -> IR | None:
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
            uniform = storage.rate.kind == "uniform"
            parts = _parts(module, elements, [Qual(scalar, storage.rate)] * count)
            opening, closing = "<>" if uniform else "[]"
            if parts is not None and uniform:
                total = int(memory[1:].split(" ", 1)[0])
                parts += [zero(parts[0].type)] * (total - count)
        case _ if storage.rate.kind == "soa":
            return _slots(module, elements, storage)
        case _:
            if len(elements) == 1:
                return constant_initializer(module, elements[0], storage)
            return zero(memory) if not elements else None
    if parts is None:
        return None
    return IR(memory, f"{opening}{', '.join(map(str, parts))}{closing}" if parts else "zeroinitializer")


def _slots(module: ModuleNames, elements: tuple[tree.Initializer, ...], storage: Qual) -> IR | None:
    """The values of a scalar in all slots of a block; of slice pointers all blocks, then all slots."""
    memory, values = module.types.memory(storage), [element for element in elements if isinstance(element, tree.Value)]
    if not module.types.is_slice(storage):
        parts = _parts(module, elements, [Qual(storage.type)] * storage.rate.width)
        return None if parts is None else IR(memory, f"[{', '.join(map(str, parts))}]")
    slices = [found for value in values if (found := _slice(module, value)) is not None]
    if len(slices) < storage.rate.width:
        return None
    rows = ", ".join(str(block) for block, _ in slices), ", ".join(f"{module.types.word} {slot}" for _, slot in slices)
    row_types = memory.removeprefix("{ ").removesuffix(" }").split(", ")
    return IR(memory, f"{{ {row_types[0]} [{rows[0]}], {row_types[1]} [{rows[1]}] }}")


def _parts(module: ModuleNames, elements: tuple[tree.Initializer, ...], quals: list[Qual]) -> list[IR] | None:
    out = []
    for number, qual in enumerate(quals):
        part = constant_initializer(module, elements[number] if number < len(elements) else None, qual)
        if part is None:
            return None
        out.append(part)
    return out


def _struct_constant(module: ModuleNames, storage: Qual, parts: list[IR]) -> IR:
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
