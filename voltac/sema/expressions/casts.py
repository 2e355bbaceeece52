"""Casts of what is more than a value: of references to structs, and of functions to function pointers (language 16.1)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand, Rejected, declared_here
from voltac.sema.conversions import build
from voltac.sema.operands import (
    address_of,
    address_of_function,
    fitting_functions,
    is_temporary,
    operand_qual,
    pick_function,
)
from voltac.sema.scopes import FunctionSet
from voltac.sema.types import UNBOUND, VARYING, FunctionType, Pointer, Qual, Reference, Struct, same_type

# --- references -------------------------------------------------------------------------------------------------


def cast_reference(checker: Checker, operand: Operand, target: Qual, span: Span) -> tree.Place:
    """``(S &)place``: the same memory, as a struct of the first members of the struct that lies there."""
    if isinstance(operand, FunctionSet):
        checker.reject("impossible-cast", span, f"the function '{operand.name}' cannot be cast to '{target} &'")
    if not isinstance(operand, tree.Place) or is_temporary(operand):
        text = f"a cast to '{target} &' needs a place in memory, not a value of type '{operand_qual(operand)}'"
        checker.reject("impossible-cast", span, f"{text}; copy it to a variable first")
    if operand.address_rate is VARYING:
        checker.reject(
            "impossible-cast", span, f"a varying location cannot be cast to '{target} &'; copy it to a variable first"
        )
    source = operand.storage
    if target.rate is UNBOUND:
        target = target.with_rate(source.rate)
    reason = _obstacle(checker, source, target)
    if reason:
        notes = [declared_here(kind, "is declared here") for kind in (source.type, target.type) if isinstance(kind, Struct)]
        checker.reject("impossible-cast", span, f"cannot cast a reference to '{source}' to '{target} &': {reason}", *notes)
    pointer = address_of(operand, span)
    wanted = Qual(Pointer(target))
    return tree.deref(pointer if pointer.type == wanted else tree.Convert(span, wanted, pointer), span, of_reference=True)


def _obstacle(checker: Checker, source: Qual, target: Qual) -> str:
    """Why the place is no such object; empty if it is one."""
    if source.rate is not target.rate:
        return f"it is {source.rate}, not {target.rate}"
    if source.const and not target.const:
        return f"const would be lost; write '(const {target} &)'"
    if same_type(source, target):
        return ""
    pointers = f"cast pointers where that is meant: *({target} * uniform)&..."
    whole, part = source.type, target.type
    if not isinstance(whole, Struct) or not isinstance(part, Struct):
        return f"references are cast between structs only; {pointers}"
    for struct in (whole, part):
        if struct.mistaken:
            raise Rejected
        if struct.members is None:
            return f"{struct} is declared but not defined"
    assert whole.members is not None and part.members is not None
    if source.rate.kind == "soa":
        return "the members of an soa struct are not one behind the other; copy it to a variable first"
    if whole.members and whole.members[0].qual.type is part:
        return f"its first member is one; write '.{whole.members[0].name}'"
    if len(part.members) > len(whole.members):
        return f"{part} has more members than {whole}; {pointers}"
    for mine, theirs in zip(part.members, whole.members):
        if mine.qual not in (theirs.qual, theirs.qual.with_const(True)):
            return f"{part} does not begin like {whole}: member '{mine.name}' is no '{theirs.qual}'; {pointers}"
    layout = checker.layout
    if layout.alignment(target) > layout.alignment(source):
        return f"{part} has a greater alignment than {whole}"
    return ""


# --- functions --------------------------------------------------------------------------------------------------


def cast_function(checker: Checker, functions: FunctionSet, wanted: Qual, by_address: bool, span: Span) -> tree.Value:
    """``(F)function``, where only const may differ, and ``(F)&function``, where parameters may lead to other structs."""
    assert isinstance(wanted.type, Pointer) and isinstance(wanted.type.to.type, FunctionType)
    target = wanted.type.to.type
    if not fitting_functions(functions, target):
        alike = [one for one in functions.functions if not one.c_linkage and _called_alike(one.type, target)]
        if len(alike) == 1 and by_address:
            return build(address_of_function(checker, alike[0], span), wanted)
        if len(alike) == 1:
            text = f"function '{functions.name}' has type '{alike[0].type}', the pointer wants '{target}'"
            checker.reject(
                "impossible-cast", span, f"cast: {text}; write '&{functions.name}' to cast a function to other structs"
            )
    return pick_function(checker, functions, wanted, "cast", span)


def _called_alike(function: FunctionType, target: FunctionType) -> bool:
    """Whether a call through a pointer of the other type passes what the function expects."""
    return (
        (function.unmasked, function.task) == (target.unmasked, target.task)
        and len(function.parameters) == len(target.parameters)
        and _passed_alike(function.result, target.result)
        and all(map(_passed_alike, function.parameters, target.parameters))
    )


def _passed_alike(one: Qual, other: Qual) -> bool:
    """Equal but for const, or two addresses."""
    return same_type(one, other) or (one.rate is other.rate and _is_address(one) and _is_address(other))


def _is_address(qual: Qual) -> bool:
    return isinstance(qual.type, (Pointer, Reference)) and qual.type.to.rate.kind != "soa"
