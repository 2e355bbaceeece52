"""Operators on one operand: signs, complement, addresses, and the steps ``++`` and ``--`` (language 8.4)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import constant_folding, tree
from voltac.sema.analyses.uniformity import note_store
from voltac.sema.checker import Checker, Operand, expression
from voltac.sema.conversions import build, to_bool
from voltac.sema.expressions.operators import number, of_enum
from voltac.sema.expressions.pointer_arithmetic import check_stride, dereference
from voltac.sema.operands import (
    address_of,
    assignable_type,
    operand_qual,
    require_place,
    to_value,
)
from voltac.sema.overloads.call_building import call_operator
from voltac.sema.types import (
    BOOL,
    INT32,
    Enum,
    Pointer,
    Qual,
    Scalar,
    Struct,
    Vector,
    Void,
)
from voltac.syntax import ast


@expression(ast.Unary)
def check_unary(checker: Checker, node: ast.Unary) -> Operand:
    """The operators in front of an operand, ``++`` and ``--``, ``&`` and ``*`` among them."""
    symbol = node.operator
    if symbol in ("++", "--"):
        return check_step(checker, node, prefix=True)
    operand = checker.expression(node.operand)
    if symbol == "&":
        return take_address(checker, operand, node)
    if symbol == "*":
        return dereference(checker, operand, node)
    overloaded = call_operator(checker, symbol, [operand], node.span)
    if overloaded is not None:
        return overloaded
    value = to_value(checker, operand, node.operand.span)
    return unary(checker, symbol, value, node.span)


def unary(checker: Checker, symbol: str, value: tree.Value, span: Span) -> tree.Value:
    """``+``, ``-``, ``~`` and ``!`` of a value; of constants they are computed here."""
    kind = value.type.type
    element = kind.element if isinstance(kind, Vector) else kind
    if symbol == "+" and isinstance(kind, Struct):
        return value
    if symbol == "!":
        if isinstance(kind, Vector):
            value = build(value, Qual(Vector(BOOL, kind.count), value.type.rate))
        else:
            value = to_bool(checker, value, "operator '!'")
    elif isinstance(kind, Enum):
        return of_enum(unary(checker, symbol, number(value), span), kind)
    elif symbol == "~":
        if not isinstance(element, Scalar) or not element.is_integer:
            checker.reject("operand", span, f"operator '~' needs an integer but has '{value.type}'")
    elif not isinstance(element, Scalar) or element.kind == "bool":
        checker.reject("operand", span, f"only numbers can be {'negated' if symbol == '-' else 'signed'}, not '{value.type}'")
    if symbol == "+":
        return value
    if type(value) is tree.Constant:
        folded = constant_folding.unary(symbol, value.value, value.type.type)
        if folded is not None:
            return tree.Constant(span, value.type, folded)
    return tree.Unary(span, value.type, symbol, value)


def take_address(checker: Checker, operand: Operand, node: ast.Unary) -> Operand:
    """``&place``; ``&function`` is the function itself, so that a pointer's type can pick the overload."""
    if isinstance(operand, tree.Place) and not isinstance(operand, tree.Temporary):
        return address_of(operand, node.span)
    if isinstance(operand, (tree.Value, tree.Place)):
        checker.reject(
            "no-address", node.span, f"the operand of '&' has no address: it is a value of type '{operand_qual(operand)}'"
        )
    return operand


@expression(ast.Postfix)
def check_postfix(checker: Checker, node: ast.Postfix) -> Operand:
    """``i++`` and ``i--``, whose value is the one before (8.4)."""
    return check_step(checker, node, prefix=False)


def check_step(checker: Checker, node: ast.Unary | ast.Postfix, prefix: bool) -> Operand:
    """``++`` and ``--``."""
    symbol = node.operator
    operand = checker.expression(node.operand)
    dummy: list[Operand] = [] if prefix else [tree.Constant(node.span, Qual(INT32), 0)]
    overloaded = call_operator(checker, symbol, [operand, *dummy], node.span)
    if overloaded is not None:
        return overloaded
    place = require_place(checker, operand, node.span, f"the operand of '{symbol}'")
    kind = place.storage.type
    if isinstance(kind, Pointer):
        if isinstance(kind.to.type, Void):
            checker.reject(
                "operand", node.span, f"a void pointer cannot be stepped with '{symbol}'; cast to the type pointed to first"
            )
        check_stride(checker, place.storage, node.span)
    elif isinstance(kind, Vector):
        if kind.element is BOOL:
            checker.reject("operand", node.span, f"a value of type '{place.type}' cannot be counted up or down")
    elif not isinstance(kind, (Scalar, Enum)) or kind is BOOL:
        checker.reject("operand", node.span, f"a value of type '{place.type}' cannot be counted up or down with '{symbol}'")
    note_store(checker, place, None, node.span)
    return tree.Increment(node.span, assignable_type(place), place, symbol, prefix)
