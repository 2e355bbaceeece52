"""Expressions that name a type: casts, ``sizeof``, ``new``, ``alloca``."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand, expression
from voltac.sema.conversions import cast, convert
from voltac.sema.declarations.declarators import resolve_type_name
from voltac.sema.declarations.initializers import allocated
from voltac.sema.expressions.casts import cast_function, cast_reference
from voltac.sema.operands import operand_qual, to_value, value_of
from voltac.sema.types import (
    BOOL,
    INT64,
    UINT32,
    UINT64,
    UNBOUND,
    UNIFORM,
    VARYING,
    VOID_QUAL,
    Array,
    FunctionType,
    Pointer,
    Qual,
    Reference,
    Struct,
    Type,
    Vector,
    Void,
)
from voltac.syntax import ast


@expression(ast.Cast)
def check_cast(checker: Checker, node: ast.Cast) -> Operand:
    """A type without a rate takes that of the operand."""
    target = resolve_type_name(checker, node.type, UNBOUND)
    operand = checker.expression(node.operand)
    if isinstance(target.type, Reference):
        return cast_reference(checker, operand, target.type.to, node.span)
    if isinstance(target.type, Pointer) and isinstance(target.type.to.type, FunctionType):
        if not isinstance(operand, (tree.Place, tree.Value)):
            wanted = target if target.rate is not UNBOUND else target.with_rate(UNIFORM)
            by_address = isinstance(node.operand, ast.Unary) and node.operand.operator == "&"
            return cast_function(checker, operand, wanted, by_address, node.span)
    if isinstance(operand, tree.Place) and isinstance(operand.storage.type, Array) and isinstance(target.type, Pointer):
        element = operand.storage.type.element
        if not isinstance(target.type.to.type, Void) and target.type.to.type != element.type:
            checker.reject(
                "conversion",
                node.span,
                f"an array of type '{operand.storage}' does not convert to the pointer type '{target}'; "
                "take the address of its first element: &a[0]",
            )
    value = to_value(checker, operand, node.operand.span)
    if target.rate is UNBOUND:
        target = target.with_rate(value.type.rate)
    result = cast(checker, value, target, node.span)
    return result


# --- sizeof -----------------------------------------------------------------------------------------------------


@expression(ast.SizeOf)
def check_sizeof(checker: Checker, node: ast.SizeOf) -> tree.Value:
    """Nothing is evaluated; an unqualified type is varying."""
    if isinstance(node.operand, ast.TypeName):
        qual = resolve_type_name(checker, node.operand, VARYING)
    else:
        operand = checker.expression(node.operand)
        if not isinstance(operand, (tree.Place, tree.Value)):
            checker.reject("no-size", node.span, f"a function such as '{operand.name}' has no size")
        is_block = isinstance(operand, tree.Place) and operand.storage.rate.kind == "soa"
        qual = operand.storage if isinstance(operand, tree.Place) and is_block else operand_qual(operand)
    size = size_of(checker, qual, node.span)
    if checker.function is None and qual.rate is VARYING:
        checker.warning(
            "global-layout",
            node.span,
            f"the size of '{qual}' depends on the target, so it is not constant with several targets",
        )
    return tree.Constant(node.span, Qual(UINT32 if checker.options.addressing == 32 else UINT64), size)


def size_of(checker: Checker, qual: Qual, span: Span) -> int:
    """Bytes of an object, for ``sizeof`` (8.7); an error for what has no size."""
    kind: Type = qual.type
    while isinstance(kind, Array):
        kind = kind.element.type
    if isinstance(kind, Struct) and kind.members is None:
        checker.reject("incomplete-type", span, f"the size of {kind} is not known: the struct is declared but not defined")
    if isinstance(kind, (Void, FunctionType)):
        checker.reject("no-size", span, f"'{kind}' has no size")
    if qual.type is BOOL and qual.rate is VARYING:
        # language B.7: the register form is measured, although memory holds one byte a lane.
        bits = checker.target.mask_bits
        return max(1, checker.target.width * bits // 8)
    try:
        return checker.layout.size(qual)
    except ValueError as problem:
        checker.reject("no-size", span, str(problem))


# --- memory -----------------------------------------------------------------------------------------------------


@expression(ast.New)
def check_new(checker: Checker, node: ast.New) -> tree.Value:
    """``new`` is varying unless said otherwise, what it allocates is uniform unless said otherwise."""
    rate = UNIFORM if node.rate == "uniform" else VARYING
    qual = resolve_type_name(checker, node.type, UNIFORM)
    if isinstance(qual.type, Vector):
        checker.reject(
            "allocation", node.type.span, f"a vector type such as '{qual}' is not allowed for new; wrap it in a struct"
        )
    if isinstance(qual.type, (Void, FunctionType)):
        checker.reject("allocation", node.type.span, f"'{qual}' cannot be allocated")
    size_of(checker, qual, node.type.span)
    count = None
    if node.count is not None:
        count = value_of(checker, node.count)
        if count.type.rate is VARYING and rate is UNIFORM:
            checker.reject(
                "allocation", node.count.span, f"a uniform allocation needs a uniform count, this one is '{count.type}'"
            )
        count = convert(checker, count, Qual(INT64, rate), "number of elements of new")
    initial = None
    if node.initial is not None:
        initial = allocated(checker, qual, node.initial, node.span)
    pointee = qual
    if isinstance(qual.type, Array):
        # new T[n] of an array type yields a pointer to its element type, like a decayed array.
        pointee = qual.type.element
    return tree.New(node.span, Qual(Pointer(pointee), rate), count, initial)


@expression(ast.Alloca)
def check_alloca(checker: Checker, node: ast.Alloca) -> tree.Value:
    """``alloca(size)``: memory of the stack, until the function ends."""
    size = value_of(checker, node.size)
    if size.type.rate is VARYING:
        checker.reject("allocation", node.span, f"the size of alloca must be uniform, this one is '{size.type}'")
    return tree.Alloca(node.span, Qual(Pointer(VOID_QUAL)), convert(checker, size, Qual(INT64), "size of alloca"))
