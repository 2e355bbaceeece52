"""Calls -> code: volta functions with their mask, C functions, function pointers, LLVM intrinsics.

A call with the mask statically all on goes to the version without a mask. Calls
only happen with a mask that is not empty: whoever shrinks the mask tests it first.
"""

from __future__ import annotations

from voltac.lower.checks.bounds import check_called, hidden_arguments, note_call
from voltac.lower.checks.nonfinite import check_result
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.lane_groups import lane_groups
from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.functions.c_convention import Passing, array_element, passing
from voltac.lower.functions.definitions import from_passed, signature_types, to_passed
from voltac.lower.memory.address import Address
from voltac.lower.memory.memory_access import copy, load, store
from voltac.lower.memory.places import new_object
from voltac.lower.memory.variables import forget
from voltac.lower.module_context import C_CONVENTION
from voltac.lower.text.ir_values import IR, NOTHING, zero
from voltac.sema import tree
from voltac.sema.types import VARYING, FunctionType, Pointer, Qual, Struct


@lowers_value(tree.Call)
def lower_call(c: FunctionContext, node: tree.Call) -> IR:
    """The version for the mask here; it counts as a use, by which inlining is decided."""
    symbol = node.function
    arguments = [_argument(c, argument) for argument in node.arguments]
    c.debug.span = node.span
    version = c.module.called_version(symbol, c.mask is None)
    version.uses += 1
    c.version.calls[version] = c.version.calls.get(version, 0) + 1
    if version.kind == C_CONVENTION:
        return call_c_function(c, version.name, symbol.type, arguments)
    if c.checks.accesses:
        note_call(c, symbol)
    rare = symbol.library and symbol.static and symbol.no_inline
    result = call_volta_function(c, version.name, symbol.type, arguments, version.takes_mask, rare)
    if c.checks.nonfinite and symbol.library:
        shown = ", ".join(f"{{{number}}}" for number in range(min(2, len(arguments))))
        check_result(c, result, arguments, f"{symbol.name}({shown})", node.type.rate is VARYING)
    return result


def _argument(c: FunctionContext, node: tree.Value) -> IR:
    """A struct argument becomes the callee's own: what is somebody's variable is copied."""
    value = c.value(node)
    if isinstance(node, tree.Assign | tree.Comma) and isinstance(node.type.type, Struct):
        return _private_copy(c, value, node.type)
    return value


def _private_copy(c: FunctionContext, value: IR, qual: Qual) -> IR:
    fresh = new_object(c, qual)
    copy(c, fresh, Address(value, qual, private=True), everywhere=True)
    return fresh.pointer


def call_volta_function(
    c: FunctionContext, callee: str, type: FunctionType, arguments: list[IR], masked: bool, rare: bool = False
) -> IR:
    """With the convention between functions of the language; ``masked`` adds the mask. A struct result is its address.

    ``rare`` calls are those of the library's functions for the ends of their range: a loop then keeps its constants in
    registers, which such a call loses, and loads them anew behind it.
    """
    result, _ = signature_types(c.module, type, masked)
    passed = [to_passed(c, value, qual) for value, qual in zip(arguments, type.parameters)]
    returned: Address | None = None
    if isinstance(type.result.type, Struct):
        returned = new_object(c, type.result, "result")
        forget(c, returned)
        passed.insert(0, returned.pointer)
    if masked:
        passed.append(masks.to_storage(c, c.mask))
    if c.checks.accesses:
        passed += hidden_arguments(c, arguments, type.parameters)
    text = f"call {result} {callee}({', '.join(map(str, passed))}){' cold' if rare else ''}"
    if result == "void":
        c.build.emit(text)
        return NOTHING if returned is None else returned.pointer
    return from_passed(c, c.build.value(result, text), type.result)


def call_c_function(c: FunctionContext, callee: str, type: FunctionType, arguments: list[IR]) -> IR:
    """One call for the gang, with the platform's convention."""
    how = passing(c.types, type.result, result=True)
    passed: list[str] = []
    returned: Address | None = None
    if isinstance(type.result.type, Struct):
        returned = new_object(c, type.result, "result")
        if how.in_memory:
            passed.append(f"{how} {returned.pointer.name}")
    for value, qual in zip(arguments, type.parameters):
        passed += _c_argument(c, value, qual, passing(c.types, qual))
    attributes = f"{how.attributes} " if how.attributes and not how.in_memory else ""
    result = "void" if how.in_memory else how.type
    text = f"call {attributes}{result} {callee}({', '.join(passed)})"
    if result == "void":
        c.build.emit(text)
        return NOTHING if returned is None else returned.pointer
    value = c.build.value(result, text)
    if returned is not None:
        c.build.store(value, returned.pointer, 1)
        return returned.pointer
    if value.type != c.register(type.result):
        return c.build.compare("icmp ne", value, zero(value.type))
    return value


def _c_argument(c: FunctionContext, value: IR, qual: Qual, how: Passing) -> list[str]:
    attributes = how.attributes.replace("noalias", "")
    if how.parts:
        parts = []
        for number, part in enumerate(how.parts):
            place = c.build.gep("i8", value, IR("i64", str(how.part_bytes * number)))
            parts.append(c.build.load(part, place, 1))
        return [_joined(c, parts, how.joined)] if how.joined else [str(part) for part in parts]
    if how.in_memory or how.type == value.type:
        return [" ".join(filter(None, (how.type, attributes.strip(), value.name)))]
    return [str(c.build.convert("zext", value, how.type))]


def _joined(c: FunctionContext, parts: list[IR], type: str) -> str:
    element = array_element(type)
    array = IR(type, "poison")
    for number, part in enumerate(parts):
        whole = part if part.type == element else c.build.convert("zext", part, element)
        array = c.build.value(type, f"insertvalue {array}, {whole}, {number}")
    return str(array)


# --- function pointers


@lowers_value(tree.CallPointer)
def lower_call_pointer(c: FunctionContext, node: tree.CallPointer) -> IR:
    """A varying pointer takes a call for each function among the active lanes."""
    pointer = c.value(node.pointer)
    if c.checks.accesses:
        check_called(c, pointer)
    assert isinstance(node.pointer.type.type, Pointer)
    type = node.pointer.type.type.to.type
    assert isinstance(type, FunctionType)
    arguments = [c.value(argument) for argument in node.arguments]
    if node.pointer.type.rate is not VARYING:
        return call_volta_function(c, pointer.name, type, arguments, not type.unmasked)
    return _call_each_target(c, pointer, node.pointer.type.type, type, arguments)


def _call_each_target(c: FunctionContext, pointers: IR, pointer: Pointer, type: FunctionType, arguments: list[IR]) -> IR:
    """One call for each distinct function among the active lanes, in the order of their first lane."""
    merged = None if c.register(type.result) == "void" else new_object(c, type.result, "result")
    for group in lane_groups(c, pointers, pointer, "call"):
        with c.within(mask=group.mask):
            value = call_volta_function(c, group.value.name, type, _private_copies(c, type, arguments), not type.unmasked)
            if merged is not None:
                if isinstance(type.result.type, Struct):
                    copy(c, merged, Address(value, type.result, private=True))
                else:
                    store(c, merged, value)
    return NOTHING if merged is None else load(c, merged)


def _private_copies(c: FunctionContext, type: FunctionType, arguments: list[IR]) -> list[IR]:
    """Struct arguments are the callee's own: every call gets a copy."""
    pairs = zip(arguments, type.parameters)
    return [_private_copy(c, value, qual) if isinstance(qual.type, Struct) else value for value, qual in pairs]


# --- LLVM intrinsics (language 8.10)


@lowers_value(tree.Intrinsic)
def lower_intrinsic(c: FunctionContext, node: tree.Intrinsic) -> IR:
    """The LLVM intrinsic of that name, declared with the types of its arguments."""
    arguments = [c.value(argument) for argument in node.arguments]
    result = c.register(node.type)
    name = node.name.removeprefix("@")
    callee = c.module.intrinsic(name, result, *(argument.type for argument in arguments))
    text = f"call {result} {callee}({', '.join(map(str, arguments))})"
    if result == "void":
        c.build.emit(text)
        return NOTHING
    return c.build.value(result, text)
