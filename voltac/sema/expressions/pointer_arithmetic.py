"""Pointer arithmetic, comparison and dereferencing (language 5.5)."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand
from voltac.sema.conversions import build, index_value, is_null
from voltac.sema.operands import to_value
from voltac.sema.types import (
    BOOL,
    INT32,
    INT64,
    UNIFORM,
    VARYING,
    FunctionType,
    Pointer,
    Qual,
    Struct,
    Void,
    same_type,
)
from voltac.syntax import ast

COMPARISONS = frozenset(("<", ">", "<=", ">=", "==", "!="))


def pointer_binary(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> tree.Value:
    """A binary operator of which at least one operand is a pointer."""
    if symbol in COMPARISONS:
        return compare_pointers(checker, symbol, left, right, span)
    a, b = left.type.type, right.type.type
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        if symbol == "+":
            checker.reject("operand", span, f"two pointers cannot be added: '{left.type}' and '{right.type}'")
        if symbol == "-":
            return pointer_difference(checker, left, right, span)
    if symbol not in ("+", "-"):
        checker.reject("operand", span, f"operator '{symbol}' does not fit pointers: '{left.type}' and '{right.type}'")
    if not isinstance(a, Pointer):
        if symbol == "-":
            checker.reject("operand", span, f"a pointer cannot be subtracted from a number: '{left.type}' and '{right.type}'")
        left, right = right, left
    return pointer_offset(checker, left, right, symbol == "-", span)


def pointer_offset(checker: Checker, pointer: tree.Value, index: tree.Value, negative: bool, span: Span) -> tree.Value:
    """``p + i``, or ``p - i`` if ``negative``, in elements."""
    check_stride(checker, pointer.type, span)
    index = index_value(checker, index)
    kind = pointer.type.type
    rate = VARYING if index.type.rate is VARYING else pointer.type.rate
    return tree.PointerOffset(span, pointer.type if rate is pointer.type.rate else Qual(kind, rate), pointer, index, negative)


def check_stride(checker: Checker, pointer: Qual, span: Span) -> None:
    """Pointer arithmetic needs the size of the pointee."""
    assert isinstance(pointer.type, Pointer)
    to = pointer.type.to.type
    if isinstance(to, Void):
        checker.reject("operand", span, "there is no pointer arithmetic on void pointers; cast to the type pointed to first")
    if isinstance(to, FunctionType):
        checker.reject("operand", span, f"there is no pointer arithmetic on function pointers such as '{pointer}'")
    if isinstance(to, Struct) and to.members is None:
        checker.reject("incomplete-type", span, f"pointer arithmetic needs the definition of {to}, which is only declared here")


def pointer_difference(checker: Checker, left: tree.Value, right: tree.Value, span: Span) -> tree.Value:
    """``p - q`` in elements, of 32 or 64 bits (``--addressing``)."""
    check_stride(checker, left.type, span)
    check_stride(checker, right.type, span)
    a, b = left.type.type, right.type.type
    assert isinstance(a, Pointer) and isinstance(b, Pointer)
    if not same_type(a.to, b.to):
        checker.reject("operand", span, f"pointers to different types cannot be subtracted: '{left.type}' and '{right.type}'")
    rate = VARYING if left.type.rate is VARYING or right.type.rate is VARYING else UNIFORM
    both = Qual(a, rate)
    result = Qual(INT32 if checker.options.addressing == 32 else INT64, rate)
    return tree.PointerDifference(span, result, build(left, both), build(right, both))


def compare_pointers(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> tree.Value:
    """Comparisons, of pointers to one type or with ``void *`` or NULL."""
    target = pointer_type(left, right)
    if target is None:
        checker.reject("operand", span, f"operator '{symbol}' cannot compare '{left.type}' with '{right.type}'")
    rate = VARYING if left.type.rate is VARYING or right.type.rate is VARYING else UNIFORM
    both = Qual(target, rate)
    return tree.Binary(span, Qual(BOOL, rate), symbol, as_pointer(left, both), as_pointer(right, both))


def pointer_type(left: tree.Value, right: tree.Value) -> Pointer | None:
    """The type of two pointers, one of which may be null."""
    a, b = left.type.type, right.type.type
    if isinstance(a, Pointer) and (is_null(right) or (isinstance(b, Pointer) and same_type(a.to, b.to))):
        if isinstance(b, Pointer) and is_null(left):
            return b
        return b if isinstance(b, Pointer) and b.to.const and not is_null(right) else a
    if isinstance(b, Pointer) and is_null(left):
        return b
    return None


def as_pointer(value: tree.Value, target: Qual) -> tree.Value:
    """The operand of a comparison in the type that both have."""
    if is_null(value):
        return tree.Constant(value.span, target, 0)
    return build(value, target)


def dereference(checker: Checker, operand: Operand, node: ast.Unary, otherwise: str = "leave out the '*'") -> Operand:
    """``*p``: the place that a pointer leads to. ``otherwise`` says what may be meant where it is none."""
    value = to_value(checker, operand, node.operand.span)
    kind = value.type.type
    if not isinstance(kind, Pointer):
        checker.reject("dereference", node.span, f"only pointers can be dereferenced, not '{value.type}'; {otherwise}")
    if isinstance(kind.to.type, Void):
        checker.reject("dereference", node.span, "a void pointer cannot be dereferenced; cast it to the type it points to")
    return tree.deref(value, node.span)
