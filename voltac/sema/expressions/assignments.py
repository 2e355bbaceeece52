"""Assignments, those with an operator in them included (language 8.3)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.analyses.uniformity import note_store
from voltac.sema.checker import Checker, Operand, expression
from voltac.sema.conversions import convert, index_value
from voltac.sema.expressions.operators import BIT_OPERATORS, SHIFTS, check_division, check_shift_amount, check_shifted_bool
from voltac.sema.expressions.pointer_arithmetic import check_stride
from voltac.sema.operands import (
    assignable_type,
    convert_operand,
    operand_qual,
    require_place,
    root_variable,
    to_value,
)
from voltac.sema.overloads.call_building import call_operator
from voltac.sema.types import (
    UNIFORM,
    VARYING,
    Enum,
    Pointer,
    Qual,
    Scalar,
    Struct,
    Vector,
)
from voltac.syntax import ast

_OF_ONE_BIT = {"+": "^", "-": "^", "*": "&"}
"""What arithmetic in place is for a bool: the operation is done in its type, a number of one bit (8.3)."""


@expression(ast.Assignment)
def check_assignment(checker: Checker, node: ast.Assignment) -> Operand:
    """``=`` and the compound ones (8.3); of structs also the program's own."""
    target = checker.expression(node.target)
    symbol = node.operator
    if symbol == "=" and type(node.value) in (ast.Name, ast.TemplateName):
        value_operand = checker.expression(node.value)
    else:
        value_operand = None
    if isinstance(target, (tree.Place, tree.Value)) and isinstance(operand_qual(target).type, Struct):
        if value_operand is None:
            value_operand = checker.expression(node.value)
        overloaded = call_operator(checker, symbol, [target, value_operand], node.span)
        if overloaded is not None:
            return overloaded
        if symbol != "=":
            struct = operand_qual(target).type
            checker.reject(
                "operand",
                node.span,
                f"operator '{symbol}' is not available for {struct}; a function 'operator{symbol}' would define it",
            )
    place = require_place(checker, target, node.target.span, "the left side of the assignment")
    wanted = assignable_type(place)
    if symbol == "=":
        if value_operand is None:
            value_operand = checker.expression(node.value)
        checker.converted_for = root_variable(place)
        try:
            value = convert_operand(checker, value_operand, wanted, "assignment", node.value.span)
        finally:
            checker.converted_for = None
        note_store(checker, place, value, node.span)
        return tree.Assign(node.span, wanted, place, value)
    value = to_value(checker, checker.expression(node.value) if value_operand is None else value_operand, node.value.span)
    return compound(checker, symbol, place, wanted, value, node.span)


def compound(checker: Checker, symbol: str, place: tree.Place, wanted: Qual, value: tree.Value, span: Span) -> tree.Value:
    """``place op= value``: the value converts to the place's type first."""
    operator = symbol[:-1]
    kind = wanted.type
    if isinstance(kind, Pointer):
        if operator not in ("+", "-"):
            checker.reject("operand", span, f"operator '{symbol}' is not available for pointers such as '{wanted}'")
        check_stride(checker, wanted, span)
        if isinstance(value.type.type, Pointer):
            what = "added to" if operator == "+" else "subtracted from"
            checker.reject("operand", span, f"a pointer cannot be {what} a pointer in place: '{wanted}' and '{value.type}'")
        index = index_value(checker, value)
        if index.type.rate is VARYING and wanted.rate is UNIFORM:
            checker.reject(
                "operand",
                span,
                f"operator '{symbol}': a varying index of type '{index.type}' cannot step the pointer '{wanted}'",
            )
        note_store(checker, place, index, span)
        return tree.CompoundAssign(span, wanted, operator, place, index)
    element = kind.element if isinstance(kind, Vector) else kind
    if not isinstance(element, (Scalar, Enum)):
        checker.reject("operand", span, f"operator '{symbol}' does not apply to '{wanted}'")
    if isinstance(element, Scalar):
        if operator in BIT_OPERATORS and element.kind == "float":
            checker.reject("operand", span, f"the bit operator '{symbol}' does not apply to the floating-point type '{wanted}'")
        if element.kind == "bool":
            operator = _OF_ONE_BIT.get(operator, operator)
        if operator not in BIT_OPERATORS and element.kind == "bool":
            checker.reject("operand", span, f"operator '{symbol}' does not apply to '{wanted}'; bools have no arithmetic")
        if operator == "%" and element.kind == "float":
            checker.reject("operand", span, f"operator '%=' needs integers but has '{wanted}'; use fmod")
    elif operator in SHIFTS:
        checker.reject(
            "operand", span, f"operator '{symbol}' does not apply to '{wanted}': the result of a shift is a number; cast it"
        )
    right = convert(checker, value, wanted, f"operator '{symbol}'")
    if operator in ("/", "%"):
        check_division(checker, operator, right, right, span)
    elif operator in SHIFTS:
        check_shifted_bool(checker, wanted, right, place.span)
        if type(right) is tree.Constant:
            check_shift_amount(checker, right, wanted, span)
        elif operator == ">>" and value.type.rate is VARYING:
            checker.performance_warning(span, "a right shift by a varying amount is slow")
    note_store(checker, place, right, span)
    return tree.CompoundAssign(span, wanted, operator, place, right)
