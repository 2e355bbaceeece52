"""What may be exported: parameters and results that a C caller can pass and receive (language 12.2)."""

from __future__ import annotations

from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.declarations.declarators import Declared
from voltac.sema.types import UNIFORM, Array, FunctionType, Pointer, Qual, Reference, Struct, Vector, Void
from voltac.syntax import ast


def check_export(checker: Checker, symbol: tree.FunctionSymbol, declared: Declared) -> None:
    """What a C caller can pass and receive."""
    name = symbol.name
    for number, (node, qual) in enumerate(zip(declared.parameters, symbol.type.parameters)):
        parameter = ast.declared_name(node.declarator).name
        text = _export_obstacle(qual)
        if text:
            remedy = f"; write '* uniform {parameter}' or '{parameter}[]'" if _is_varying_pointer(qual) else ""
            what = f"exported function '{name}' has {text}: parameter '{parameter}' of type '{qual}'{remedy}"
            checker.error("exported", node.span, what)
            if qual.is_varying:
                # What follows from it in the body is the same mistake.
                symbol.parameters[number].type = qual.with_rate(UNIFORM)
        elif isinstance(qual.type, (Pointer, Reference)) and _points_to_varying(qual.type.to) and not checker.target.is_device:
            checker.warning(
                "export", node.span, f"parameter '{parameter}' of the exported function '{name}' points to varying data"
            )
    result = symbol.type.result
    if not isinstance(result.type, Void):
        if result.is_varying or isinstance(result.type, Vector):
            checker.error(
                "exported",
                symbol.span,
                f"exported function '{name}' returns a varying or vector value of type '{result}'; return a uniform one, "
                "or write the lanes through a pointer parameter",
            )
        elif isinstance(result.type, Struct) and _has_vector(result.type):
            checker.error(
                "exported", symbol.span, f"exported function '{name}' returns {result.type}, which has vector members"
            )


def _export_obstacle(qual: Qual) -> str:
    kind = qual.type
    if isinstance(kind, Reference):
        return "a soa parameter" if kind.to.rate.kind == "soa" else ""
    if (isinstance(kind, Pointer) and kind.to.rate.kind == "soa") or qual.rate.kind == "soa":
        return "a soa parameter"
    if qual.is_varying:
        return "a varying pointer parameter" if _is_varying_pointer(qual) else "a varying parameter, which must be uniform"
    if isinstance(kind, Struct):
        return "a struct passed by value, use a pointer or a reference"
    if isinstance(kind, Vector):
        return "a vector parameter, use a pointer or a reference"
    return ""


def _is_varying_pointer(qual: Qual) -> bool:
    return qual.is_varying and isinstance(qual.type, Pointer)


def _points_to_varying(qual: Qual) -> bool:
    return qual.is_varying and not isinstance(qual.type, (Void, FunctionType))


def _has_vector(struct: Struct) -> bool:
    for member in struct.members or ():
        kind = member.qual.type
        while isinstance(kind, Array):
            kind = kind.element.type
        if isinstance(kind, Vector) or (isinstance(kind, Struct) and _has_vector(kind)):
            return True
    return False
