"""Operators between two operands, and the selection between two. The usual arithmetic conversions: language 6.1."""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.sema import constant_folding, tree
from voltac.sema.checker import Checker, Operand, expression
from voltac.sema.conversions import build, is_constant, to_bool
from voltac.sema.expressions.pointer_arithmetic import COMPARISONS, as_pointer, dereference, pointer_binary, pointer_type
from voltac.sema.operands import (
    to_value,
    value_of,
)
from voltac.sema.overloads.call_building import call_operator
from voltac.sema.types import (
    BOOL,
    PROMOTION_ORDER,
    UINT32,
    UNIFORM,
    VARYING,
    Enum,
    Pointer,
    Qual,
    Rate,
    Scalar,
    Struct,
    Type,
    Vector,
    Void,
)
from voltac.syntax import ast

_RANK: dict[Scalar, int] = {type: rank for rank, type in enumerate(PROMOTION_ORDER)}
SHIFTS = frozenset(("<<", ">>"))
BIT_OPERATORS = frozenset(("&", "|", "^", "<<", ">>"))
"""They take no floating-point numbers."""
_POWER = {"^": "; if a power is meant, write 'pow(x, y)'"}
"""What an operator may mean that floating-point numbers do not have."""

_QUALS: dict[tuple[Scalar, Rate], Qual] = {
    (type, rate): Qual(type, rate) for type in PROMOTION_ORDER for rate in (UNIFORM, VARYING)
}


def scalar_qual(type: Scalar, rate: Rate) -> Qual:
    """A number's type at a rate; made once, since every operation asks."""
    return _QUALS[type, rate]


# --- binary -----------------------------------------------------------------------------------------------------


@expression(ast.Binary)
def check_binary(checker: Checker, node: ast.Binary) -> Operand:
    """The left spine is walked with a loop: generated code has chains of thousands of operands."""
    spine = [node]
    left_node = node.left
    while type(left_node) is ast.Binary:
        spine.append(left_node)
        left_node = left_node.left
    left = checker.expression(left_node)
    for link in reversed(spine):
        left = combine(checker, link.operator, left, link)
    return left


def combine(checker: Checker, symbol: str, left: Operand, node: ast.Binary) -> Operand:
    """A binary operator whose left operand is checked: ``,``, a function of the program (10.4), or the built-in one."""
    if symbol == ",":
        first = to_value(checker, left, node.left.span)
        second = value_of(checker, node.right)
        return tree.Comma(node.span, second.type, first, second)
    with checker.operand(symbol in ("&&", "||") and is_constant(left, symbol == "||")):
        right = factor(checker, node.right) if symbol == "*" else checker.expression(node.right)
    overloaded = call_operator(checker, symbol, [left, right], node.span)
    if overloaded is not None:
        return overloaded
    left_value = to_value(checker, left, node.left.span)
    right_value = to_value(checker, right, node.right.span)
    if symbol in ("&&", "||"):
        return logical(checker, symbol, left_value, right_value, node.span)
    return binary(checker, symbol, left_value, right_value, node.span)


def factor(checker: Checker, node: ast.Expression) -> Operand:
    """What stands behind a ``*``; behind a second one it may be an exponent."""
    if type(node) is ast.Unary and node.operator == "*":
        return dereference(checker, checker.expression(node.operand), node, "if '**' is meant as a power, write 'pow(x, y)'")
    return checker.expression(node)


def binary(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> tree.Value:
    """An arithmetic, bit or comparison operator on two values."""
    left_kind, right_kind = left.type.type, right.type.type
    if isinstance(left_kind, Pointer) or isinstance(right_kind, Pointer):
        return pointer_binary(checker, symbol, left, right, span)
    if symbol in SHIFTS:
        return shift(checker, symbol, left, right, span)
    common = common_type(checker, symbol, left, right, span)
    element = common.element if isinstance(common, Vector) else common
    if symbol in COMPARISONS:
        result: Type = Vector(BOOL, common.count) if isinstance(common, Vector) else BOOL
    else:
        if isinstance(common, Enum):
            return of_enum(binary(checker, symbol, number(left), number(right), span), common)
        assert isinstance(element, Scalar)
        check_operand_kind(checker, symbol, element, left, right)
        result = common
    rate = VARYING if left.type.rate is VARYING or right.type.rate is VARYING else UNIFORM
    both = Qual(common, rate)
    if left.type != both:
        left = build(left, both)
    if right.type != both:
        right = build(right, both)
    if symbol in ("/", "%"):
        check_division(checker, symbol, left, right, span)
    return fold_binary(checker, symbol, left, right, both if result is common else Qual(result, rate), span)


def number(value: tree.Value) -> tree.Value:
    """A value of an enum as the number it is, or was computed as."""
    as_number = scalar_qual(UINT32, value.type.rate)
    if isinstance(value, tree.Convert) and value.value.type == as_number:
        return value.value
    return build(value, as_number)


def of_enum(value: tree.Value, kind: Enum) -> tree.Value:
    """What is computed of values of one enum belongs to it (language 16.1)."""
    return build(value, Qual(kind, value.type.rate))


def fold_binary(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, result: Qual, span: Span) -> tree.Value:
    """An operation on numbers of one type; on constants it is computed here, with a warning if it overflows."""
    if type(left) is tree.Constant and type(right) is tree.Constant:
        folded = constant_folding.binary(symbol, left.value, right.value, left.type.type)
        if folded is not None:
            value, overflows = folded
            if overflows and not checker.options.wrap_signed:
                checker.warning("overflow", span, f"the constant expression overflows its type '{result}'")
            return tree.Constant(span, result, value)
    return tree.Binary(span, result, symbol, left, right)


def common_type(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> Scalar | Vector | Enum:
    """The type both operands convert to."""
    a, b = left.type.type, right.type.type
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a if _RANK[a] >= _RANK[b] else b
    for kind, value in ((a, left), (b, right)):
        if not isinstance(kind, (Scalar, Enum, Vector)):
            checker.reject("operand", 
                span, f"operator '{symbol}' does not apply to '{left.type}' and '{right.type}': "
                f"'{value.type}' is no number{_operator_hint(kind, symbol)}"
            )  # fmt: skip
    if isinstance(a, Vector) or isinstance(b, Vector):
        if isinstance(a, Vector) and isinstance(b, Vector) and a.count != b.count:
            checker.reject(
                "operand", span, f"operator '{symbol}': the vector lengths of '{left.type}' and '{right.type}' differ"
            )
        count = a.count if isinstance(a, Vector) else b.count if isinstance(b, Vector) else 0
        one, other = (kind.element if isinstance(kind, Vector) else kind for kind in (a, b))
        element = _common_scalar(one, other)
        return Vector(element if isinstance(element, Scalar) else UINT32, count)
    return _common_scalar(a, b)


def _operator_hint(kind: Type, symbol: str) -> str:
    return f"; a function 'operator{symbol}' would define it" if isinstance(kind, Struct) else ""


def _common_scalar(a: object, b: object) -> Scalar | Enum:
    if isinstance(a, Enum):
        if isinstance(b, Scalar):
            return b
        return a if a is b else UINT32
    assert isinstance(a, Scalar)
    if isinstance(b, Enum):
        return a
    assert isinstance(b, Scalar)
    return a if _RANK[a] >= _RANK[b] else b


def check_operand_kind(checker: Checker, symbol: str, kind: Scalar, left: tree.Value, right: tree.Value) -> None:
    """Which operators a type has (the first table of section 6.1 of the language)."""
    if symbol in BIT_OPERATORS:
        if kind.kind == "float":
            bad = left if _element_kind(left) == "float" else right
            which = "first" if bad is left else "second"
            text = f"operator '{symbol}': the {which} operand is neither an integer nor a bool but '{bad.type}'"
            checker.reject("operand", bad.span, text + _POWER.get(symbol, ""))
        return
    for value in (left, right):
        if _element_kind(value) == "bool":
            checker.reject(
                "operand",
                value.span,
                f"operator '{symbol}' does not apply to a bool such as '{value.type}'; cast to an integer, or select with ?:",
            )
    if symbol == "%" and kind.kind == "float":
        bad = left if _element_kind(left) == "float" else right
        checker.reject(
            "operand", bad.span, f"operator '%' needs integers but has '{bad.type}'; use fmod for the floating-point remainder"
        )


def _element_kind(value: tree.Value) -> str:
    kind = value.type.type
    if isinstance(kind, Vector):
        kind = kind.element
    return kind.kind if isinstance(kind, Scalar) else ""


def check_division(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> None:
    """Warns of division by zero and of varying division, which is slow (15.1)."""
    kind = right.type.type
    if not isinstance(kind, Scalar) or not kind.is_integer:
        return
    if type(right) is tree.Constant:
        if right.value == 0:
            checker.warning(
                "division", span, "division by the constant zero" if symbol == "/" else "remainder by the constant zero"
            )
    elif right.type.rate is VARYING:
        what = "integer division" if symbol == "/" else "the integer remainder"
        checker.performance_warning(span, f"{what} of varying values is slow")


def shift(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> tree.Value:
    """The right operand takes the type of the left one."""
    for value, which in ((left, "first"), (right, "second")):
        kind = value.type.type
        element = kind.element if isinstance(kind, Vector) else kind
        if not isinstance(element, Enum) and not (isinstance(element, Scalar) and element.kind != "float"):
            checker.reject(
                "operand",
                value.span,
                f"operator '{symbol}': the {which} operand is neither an integer nor a bool but '{value.type}'",
            )
    rate = VARYING if left.type.rate is VARYING or right.type.rate is VARYING else UNIFORM
    kind = left.type.type
    if isinstance(kind, Enum):
        kind = UINT32
    if isinstance(right.type.type, Vector) and not isinstance(kind, Vector):
        assert isinstance(kind, Scalar)
        kind = Vector(kind, right.type.type.count)
    result = Qual(kind, rate)
    if isinstance(kind, Vector) and isinstance(right.type.type, Vector) and kind.count != right.type.type.count:
        checker.reject("operand", span, f"operator '{symbol}': the vector lengths of '{left.type}' and '{right.type}' differ")
    check_shifted_bool(checker, left.type, right, left.span)
    if type(right) is tree.Constant:
        check_shift_amount(checker, right, result, span)
    elif symbol == ">>" and right.type.rate is VARYING:
        checker.performance_warning(span, "a right shift by a varying amount is slow")
    return fold_binary(checker, symbol, build(left, result), build(right, result), result, span)


def check_shifted_bool(checker: Checker, shifted: Qual, amount: tree.Value, span: Span) -> None:
    """Warns of a bool, at ``span``, of which a number was meant to be shifted: it has one bit."""
    kind = shifted.type
    if (kind.element if isinstance(kind, Vector) else kind) is not BOOL or (
        type(amount) is tree.Constant and amount.value == 0
    ):
        return
    text = "the bool that is shifted has one bit, so the result is undefined; write '(int)' in front of it to shift a number"
    checker.warning("shift-width", span, text)


def check_shift_amount(checker: Checker, amount: tree.Constant, shifted: Qual, span: Span) -> None:
    """Warns of a constant amount that the type does not have bits for (15.2)."""
    kind = shifted.type
    if amount.value < 0:
        checker.warning("shift", span, f"the constant shift amount is negative, type '{amount.type}'")
    elif isinstance(kind, Scalar) and kind.is_integer and amount.value >= kind.bits:
        text = f"the shift amount {amount.value} is not below the {kind.bits} bits of '{shifted}', so the result is undefined"
        checker.warning("shift-width", span, text)


# --- logic and selection ----------------------------------------------------------------------------------------


def logical(checker: Checker, symbol: str, left: tree.Value, right: tree.Value, span: Span) -> tree.Value:
    """``&&`` and ``||`` (8.2), of short vectors element by element."""
    a, b = left.type.type, right.type.type
    rate = VARYING if left.type.rate is VARYING or right.type.rate is VARYING else UNIFORM
    if isinstance(a, Vector) or isinstance(b, Vector):
        if isinstance(a, Vector) and isinstance(b, Vector) and a.count != b.count:
            checker.reject(
                "operand", span, f"operator '{symbol}': the vector lengths of '{left.type}' and '{right.type}' differ"
            )
        left = left if isinstance(a, Vector) else to_bool(checker, left, f"operator '{symbol}'")
        right = right if isinstance(b, Vector) else to_bool(checker, right, f"operator '{symbol}'")
        both = Qual(Vector(BOOL, a.count if isinstance(a, Vector) else b.count if isinstance(b, Vector) else 0), rate)
    else:
        left = to_bool(checker, left, f"operator '{symbol}'")
        right = to_bool(checker, right, f"operator '{symbol}'")
        both = scalar_qual(BOOL, rate)
        if type(left) is tree.Constant and type(right) is tree.Constant:
            value = left.value and right.value if symbol == "&&" else left.value or right.value
            return tree.Constant(span, both, value)
    return tree.Logical(span, both, symbol, build(left, both), build(right, both))


@expression(ast.Conditional)
def check_conditional(checker: Checker, node: ast.Conditional) -> Operand:
    """``?:`` (8.2)."""
    test = value_of(checker, node.condition)
    if not isinstance(test.type.type, Vector):
        test = to_bool(checker, test, "condition of ?:")
    with checker.operand(is_constant(test, False)):
        then = value_of(checker, node.then)
    with checker.operand(is_constant(test, True)):
        otherwise = value_of(checker, node.otherwise)
    return select(checker, test, then, otherwise, node.span)


def select(checker: Checker, test: tree.Value, then: tree.Value, otherwise: tree.Value, span: Span) -> tree.Value:
    """The selection of checked operands: a value of the type both convert to, uniform if all three are."""
    kind = selected_type(checker, then, otherwise, span)
    rate = VARYING if VARYING in (test.type.rate, then.type.rate, otherwise.type.rate) else UNIFORM
    vector = test.type.type
    if isinstance(vector, Vector):
        if vector.element is not BOOL:
            test = build(test, Qual(Vector(BOOL, vector.count), test.type.rate))
        count = vector.count
        if isinstance(kind, Scalar):
            kind = Vector(kind, count)
        if not isinstance(kind, Vector) or kind.count != count:
            checker.reject(
                "operand", span, f"?: selects element by element with '{test.type}', but its values are of type '{kind}'"
            )
        test = build(test, Qual(test.type.type, rate))
    if isinstance(kind, Void):
        return tree.Conditional(span, Qual(kind), test, then, otherwise)
    both = Qual(kind, rate)
    if isinstance(kind, Pointer):
        then, otherwise = as_pointer(then, both), as_pointer(otherwise, both)
    else:
        then, otherwise = build(then, both), build(otherwise, both)
    if type(test) is tree.Constant and type(then) is tree.Constant and type(otherwise) is tree.Constant:
        return tree.Constant(span, both, then.value if test.value else otherwise.value)
    return tree.Conditional(span, both, test, then, otherwise)


def selected_type(checker: Checker, then: tree.Value, otherwise: tree.Value, span: Span) -> Type:
    """The common type of both sides of ?:."""
    a, b = then.type.type, otherwise.type.type
    if a is b:
        return a
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        pointer = pointer_type(then, otherwise)
        if pointer is None and isinstance(a, Pointer) and isinstance(b, Pointer):
            pointer = next((side for side in (a, b) if isinstance(side.to.type, Void)), None)
        if pointer is not None:
            return pointer
    elif isinstance(a, (Scalar, Enum, Vector)) and isinstance(b, (Scalar, Enum, Vector)):
        return common_type(checker, "?:", then, otherwise, span)
    checker.reject("operand", span, f"the two sides of ?: have no common type: '{then.type}' and '{otherwise.type}'")
