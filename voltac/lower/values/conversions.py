"""Conversions between types, and from uniform to varying (language 6.2)."""

from __future__ import annotations

from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.memory.address import Address
from voltac.lower.memory.memory_access import broadcast_value, copy, join_elements, split_elements
from voltac.lower.memory.places import join_slice, new_object, slice_parts
from voltac.lower.text.ir_values import IR, NOTHING, poison, zero
from voltac.lower.values.arithmetic import each_element, element_scalar
from voltac.sema import tree
from voltac.sema.types import VARYING, Enum, Pointer, Qual, Scalar, Struct, Vector, Void


@lowers_value(tree.Convert)
def lower_convert(c: FunctionContext, node: tree.Convert) -> IR:
    """Between scalars, pointers and their vectors (language 6.2); a conversion to void drops the value."""
    value = c.value(node.value)
    if value.type == "void" or node.type.type == node.value.type.type:
        return value
    if isinstance(node.type.type, Void):
        return NOTHING
    if isinstance(node.type.type, Struct):
        return value
    source, target = element_scalar(node.value.type.type), element_scalar(node.type.type)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        return _convert_pointer(c, value, node.value.type, node.type)
    if c.types.is_slice(node.value.type):
        value = slice_parts(c, value)[0]
    converted = each_element(c, lambda one: convert_scalar(c, one, source, target), value)
    if c.types.is_slice(node.type):
        return join_slice(c, converted, IR(c.types.word, "0"))
    return converted


def _convert_pointer(c: FunctionContext, value: IR, source: Qual, target: Qual) -> IR:
    if c.types.is_slice(source) == c.types.is_slice(target):
        return value
    if c.types.is_slice(source):
        return slice_parts(c, value)[0]
    return join_slice(c, value, IR(c.types.word, "0"))


def convert_scalar(c: FunctionContext, value: IR, source: Scalar | Enum | Pointer, target: Scalar | Enum | Pointer) -> IR:
    """One conversion of scalars or of all lanes."""
    lane = c.types.lane(target)
    lanes = value.type[0] == "<"
    wanted = f"{value.type[: value.type.index(' x ') + 3]}{lane}>" if lanes else lane
    from_kind, from_bits = _kind(source, c)
    to_kind, to_bits = _kind(target, c)
    build = c.build
    if to_kind == "bool":
        if from_kind == "bool":
            return value
        if from_kind == "float":
            return build.compare("fcmp une", value, zero(value.type) if lanes else IR(value.type, _zero_text(value.type)))
        return build.compare("icmp ne", value, zero(value.type))
    if from_kind == "pointer":
        return build.convert("ptrtoint", value, wanted)
    if to_kind == "pointer":
        word = f"{value.type[: value.type.index(' x ') + 3]}{c.types.word}>" if lanes else c.types.word
        if value.type != word:
            pointer_bits = int(c.types.word[1:])
            if from_bits < pointer_bits:
                value = build.convert("sext" if from_kind == "int" else "zext", value, word)
            else:
                value = build.convert("trunc", value, word)
        return build.convert("inttoptr", value, wanted)
    if from_kind == "bool":
        return build.convert("uitofp" if to_kind == "float" else "zext", value, wanted)
    if from_kind == "float":
        if to_kind == "float":
            if value.type == wanted:
                return value
            return build.convert("fpext" if to_bits > from_bits else "fptrunc", value, wanted)
        return _float_to_integer(c, value, wanted, to_kind == "int", to_bits)
    if to_kind == "float":
        return build.convert("sitofp" if from_kind == "int" else "uitofp", value, wanted)
    if from_bits == to_bits:
        return value
    return build.convert("trunc" if to_bits < from_bits else "sext" if from_kind == "int" else "zext", value, wanted)


def _float_to_integer(c: FunctionContext, value: IR, wanted: str, signed: bool, bits: int) -> IR:
    if bits >= 32:
        return c.build.convert("fptosi" if signed else "fptoui", value, wanted)
    # As on the hardware: the low bits of a 32-bit conversion, whatever the short type can hold.
    wide = "i32" if wanted[0] == "i" else f"{wanted[: wanted.index(' x ') + 3]}i32>"
    return c.build.convert("trunc", c.build.convert("fptosi", value, wide), wanted)


def _zero_text(type: str) -> str:
    return "0xH0000" if type == "half" else "0.0"


def _kind(type: Scalar | Enum | Pointer, c: FunctionContext) -> tuple[str, int]:
    match type:
        case Scalar(kind, bits):
            return kind, bits
        case Enum():
            return "uint", 32
    return "pointer", c.target.pointer_bits


@lowers_value(tree.Broadcast)
def lower_broadcast(c: FunctionContext, node: tree.Broadcast) -> IR:
    """A uniform value to all lanes; of a struct a copy with varying members."""
    value = c.value(node.value)
    if isinstance(node.type.type, Struct):
        copied = new_object(c, node.type)
        copy(c, copied, Address(value, node.value.type, private=True), everywhere=True)
        return copied.pointer
    return broadcast_value(c, value, node.value.type)


@lowers_value(tree.Splat)
def lower_splat(c: FunctionContext, node: tree.Splat) -> IR:
    """A scalar to all elements of a short vector."""
    value = c.value(node.value)
    assert isinstance(node.type.type, Vector)
    count = node.type.type.count
    if node.type.rate is VARYING:
        return join_elements(c, [value] * count)
    return c.build.splat(count, value)


@lowers_value(tree.Swizzle)
def lower_swizzle(c: FunctionContext, node: tree.Swizzle) -> IR:
    """Elements of a short vector by number, as a shorter or longer one."""
    value = c.value(node.value)
    if value.type[0] == "[":
        elements = split_elements(c, value)
        return join_elements(c, [elements[index] for index in node.indices])
    return c.build.shuffle(value, poison(value.type), node.indices)
