"""Operators on numbers -> instructions, with the flags that the language allows.

Signed ``+ - *`` of 32 and 64 bits carry ``nsw`` (overflow is undefined, language
5.2; every proof about an index rests on it); shorter ones wrap, and so do left
shifts of any type (language 6.1). Floating-point operations may be contracted to fused
multiply-adds (language 8.5). What proves each flag is in docs/claims.md. Operators work
on scalars and lane vectors alike, on short vectors element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from voltac.lower.checks.nonfinite import check_result
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import check_division, check_divisors, check_large_divisors
from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.memory.memory_access import join_elements, split_elements
from voltac.lower.memory.places import slice_parts
from voltac.lower.text.ir_values import IR, floating, integer, lanes_of, splat_constant, zero
from voltac.lower.values.division import divide_integers, tells_large_numbers
from voltac.lower.values.fast_math import is_constant, rearranged
from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.types import VARYING, Enum, Pointer, Qual, Scalar, Vector

_INTEGER_OPERATIONS = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
_FLOAT_OPERATIONS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_MAY_OVERFLOW = frozenset(["+", "-", "*"])
_FLOAT_COMPARISONS = {"==": "oeq", "!=": "une", "<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}
_SIGNED_COMPARISONS = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_UNSIGNED_COMPARISONS = {"==": "eq", "!=": "ne", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"}
COMPARISONS = frozenset(_FLOAT_COMPARISONS)
_AGGRESSIVE, _BALANCED = "fast ", "reassoc nsz arcp contract "
_ALONE = {_AGGRESSIVE: "nnan nsz arcp contract afn ", _BALANCED: "nsz arcp contract "}
"""Flags -> those of a division, which LLVM may turn into a product by the reciprocal, but not move behind products: it would
do so into loops that multiply by the quotient, and the reciprocals that it has taken out of a loop would go back. That no
infinity occurs is not said: LLVM would take estimates of reciprocals and improve them, five instructions in place of one of
a unit that has nothing else to do."""


def float_flags(c: FunctionContext, lane: str) -> str:
    """Fast-math flags of an operation, with a blank at the end.

    The library's own arithmetic stays as it is written: its reductions and roundings
    depend on the order of operations, and its results do not depend on what is optimised.
    It says ``__mad`` and ``__fma`` where it means one.
    """
    if c.symbol.library:
        return ""
    if c.options.fast_math == "aggressive":
        return _AGGRESSIVE
    if c.options.fast_math == "balanced":
        return _BALANCED
    if c.options.disable_fma or (lane == "half" and not c.target.has_native_half):
        return ""
    return "contract "


def element_scalar(type: object) -> Scalar | Enum | Pointer:
    """The type of what an operator works on: of a short vector that of its elements."""
    if isinstance(type, Vector):
        return type.element
    assert isinstance(type, Scalar | Enum | Pointer)
    return type


def each_element(c: FunctionContext, operation: Callable[..., IR], *operands: IR) -> IR:
    """Apply to varying short vectors element by element; everything else is one LLVM value."""
    if operands[0].type[0] != "[":
        return operation(*operands)
    columns = [split_elements(c, operand) for operand in operands]
    return join_elements(c, [operation(*row) for row in zip(*columns)])


@lowers_value(tree.Binary)
def lower_binary(c: FunctionContext, node: tree.Binary) -> IR:
    """Both sides are lowered, left first, before any check of a divisor."""
    if (other := rearranged(c, node)) is not None:
        return c.value(other)
    left, right = c.value(node.left), c.value(node.right)
    return binary(c, node.operator, left, right, node.left.type, node.span, constant_divisor=is_constant(node.right))


def binary(
    c: FunctionContext, operator: str, left: IR, right: IR, qual: Qual, span: Span, constant_divisor: bool = False
) -> IR:
    """``left operator right``, both of type ``qual``, written at ``span``."""
    if isinstance(qual.type, Pointer) and c.types.is_slice(qual):
        return _compare_slices(c, operator, left, right)
    scalar = element_scalar(qual.type)
    return each_element(c, lambda a, b: _binary(c, operator, a, b, scalar, qual, span, constant_divisor), left, right)


def _binary(
    c: FunctionContext,
    operator: str,
    left: IR,
    right: IR,
    scalar: Scalar | Enum | Pointer,
    qual: Qual,
    span: Span,
    constant: bool,
) -> IR:
    if operator in COMPARISONS:
        return compare(c, operator, left, right, scalar)
    assert isinstance(scalar, Scalar | Enum)
    if isinstance(scalar, Scalar) and scalar.kind == "float":
        if operator == "/" and c.options.fast_math == "legacy" and scalar.bits == 32 and not c.symbol.library:
            result = _legacy_divide(c, left, right, constant)
        else:
            flags = float_flags(c, c.types.lane(scalar))
            if operator == "/" and not constant:
                flags = _ALONE.get(flags, flags)
            result = c.build.binary(f"{_FLOAT_OPERATIONS[operator]} {flags}".rstrip(), left, right)
        if c.checks.nonfinite:
            c.debug.span = span
            check_result(c, result, [left, right], f"{{0}} {operator} {{1}}", qual.rate is VARYING)
        return result
    signed = isinstance(scalar, Scalar) and scalar.is_signed
    if operator in ("/", "%"):
        varying = qual.rate is VARYING
        look: Callable[[IR], None] | None = None
        if c.options.catch_failures and varying and tells_large_numbers(c, right):
            look = partial(check_large_divisors, c, operator, span=span)
        elif c.options.catch_failures and varying:
            check_divisors(c, operator, right, signed, span)
        elif c.options.catch_failures:
            check_division(c, operator, left, right, signed, span)
        return divide_integers(c, operator, left, right, signed, varying, constant, look)
    if operator == ">>":
        return c.build.binary("ashr" if signed else "lshr", left, right)
    if operator == "&" and c.symbol.library and left.type.endswith(" x i1>"):
        # ``__active() & v``: lanes that are off may hold poison, such as a sum that overflows, and it stays there.
        return c.build.select(left, right, zero(left.type))
    name = _INTEGER_OPERATIONS[operator]
    if operator in _MAY_OVERFLOW and _overflow_is_undefined(c, scalar):
        name += " nsw"
    return c.build.binary(name, left, right)


def _overflow_is_undefined(c: FunctionContext, scalar: Scalar | Enum | Pointer) -> bool:
    wraps = c.options.wrap_signed or c.checks.accesses
    return isinstance(scalar, Scalar) and scalar.is_signed and scalar.bits >= 32 and not wraps


def _legacy_divide(c: FunctionContext, left: IR, right: IR, constant: bool) -> IR:
    """``--opt=fast-math``: a quotient by multiplying with the reciprocal."""
    one = floating("float", 1.0)
    ones = splat_constant(lanes_of(right.type), one) if right.type[0] == "<" else one
    flags = "arcp contract " if constant else "arcp contract afn "
    reciprocal = c.build.binary(f"fdiv {flags}".rstrip(), ones, right)
    return c.build.binary("fmul contract", left, reciprocal)


def compare(c: FunctionContext, operator: str, left: IR, right: IR, scalar: Scalar | Enum | Pointer) -> IR:
    """An i1, or a vector of them; pointers compare as unsigned numbers."""
    match scalar:
        case Scalar("float", _):
            return c.build.compare(f"fcmp {_FLOAT_COMPARISONS[operator]}", left, right)
        case Scalar("int", _):
            return c.build.compare(f"icmp {_SIGNED_COMPARISONS[operator]}", left, right)
    return c.build.compare(f"icmp {_UNSIGNED_COMPARISONS[operator]}", left, right)


def _compare_slices(c: FunctionContext, operator: str, left: IR, right: IR) -> IR:
    """Slice pointers are ordered by block, then by slot."""
    left_block, left_slot = slice_parts(c, left)
    right_block, right_slot = slice_parts(c, right)
    same_block = c.build.compare("icmp eq", left_block, right_block)
    if operator in ("==", "!="):
        same = c.build.binary("and", same_block, c.build.compare("icmp eq", left_slot, right_slot))
        if operator == "==":
            return same
        ones = IR(same.type, "true" if same.type == "i1" else "splat (i1 true)")
        return c.build.binary("xor", same, ones)
    by_block = c.build.compare(f"icmp {_UNSIGNED_COMPARISONS[operator]}", left_block, right_block)
    by_slot = c.build.compare(f"icmp {_UNSIGNED_COMPARISONS[operator]}", left_slot, right_slot)
    return c.build.select(same_block, by_slot, by_block)


@lowers_value(tree.Unary)
def lower_unary(c: FunctionContext, node: tree.Unary) -> IR:
    """Also ``freeze`` and ``sound``, which only rewritten switches have."""
    operand = c.value(node.operand)
    if node.operator == "freeze":
        return c.build.value(operand.type, f"freeze {operand}")
    if node.operator == "sound":
        return masks.sound(c, operand)
    scalar = element_scalar(node.type.type)
    return each_element(c, lambda value: _unary(c, node.operator, value, scalar), operand)


def _unary(c: FunctionContext, operator: str, value: IR, scalar: Scalar | Enum | Pointer) -> IR:
    if operator == "-":
        if isinstance(scalar, Scalar) and scalar.kind == "float":
            return c.build.value(value.type, f"fneg {value}")
        return c.build.binary("sub nsw" if _overflow_is_undefined(c, scalar) else "sub", zero(value.type), value)
    lanes = value.type[0] == "<"
    if operator == "!":
        return c.build.binary("xor", value, IR(value.type, "splat (i1 true)" if lanes else "true"))
    if lanes:
        element = value.type[value.type.index(" x ") + 3 : -1]
        return c.build.binary("xor", value, IR(value.type, f"splat ({element} -1)"))
    return c.build.binary("xor", value, integer(value.type, -1))


def one(c: FunctionContext, qual: Qual) -> IR:
    """The number one at a type's own rate, for ``++``."""
    scalar = element_scalar(qual.type)
    lane = c.types.lane(scalar)
    constant = floating(lane, 1.0) if isinstance(scalar, Scalar) and scalar.kind == "float" else integer(lane, 1)
    return splat_constant(c.width, constant) if qual.rate is VARYING else constant
