"""What ``--opt=fast-math:balanced`` and ``aggressive`` let products and quotients become, beside LLVM's flags.

::

    exp(a) * exp(b)  ->  exp(a + b)
    x / exp(b)       ->  x * exp(-b)
    a / b / c        ->  a / (b * c)

LLVM knows the first two of its own functions, not of the library's, and the third where divisions may move behind products
(``arithmetic.py`` says why these may not).
"""

from __future__ import annotations

from voltac.lower.function_context import FunctionContext
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import Scalar

MODES = ("balanced", "aggressive")
_EXPONENTIALS = ("exp", "exp2")


def rearranged(c: FunctionContext, node: tree.Binary) -> tree.Value | None:
    """Another tree for a product or quotient; None where it stays."""
    if c.options.fast_math not in MODES or node.operator not in ("*", "/") or c.symbol.library or c.checks.nonfinite:
        return None
    if not isinstance(node.type.type, Scalar) or node.type.type.kind != "float":
        return None
    left, right = node.left, node.right
    if node.operator == "*":
        return _product(left, right)
    if _is_exponential(right):
        assert isinstance(right, tree.Call)
        argument = right.arguments[0]
        inverse = replace(right, arguments=(tree.Unary(argument.span, argument.type, "-", argument),))
        return _product(left, inverse) or tree.Binary(node.span, node.type, "*", left, inverse)
    if isinstance(left, tree.Binary) and left.operator == "/" and not (is_constant(left.right) or is_constant(right)):
        product = tree.Binary(node.span, node.type, "*", left.right, right)
        return tree.Binary(node.span, node.type, "/", left.left, product)
    return None


def _product(left: tree.Value, right: tree.Value) -> tree.Call | None:
    if not _is_exponential(left) or not _is_exponential(right):
        return None
    assert isinstance(left, tree.Call) and isinstance(right, tree.Call)
    if left.function is not right.function:
        return None
    first, second = left.arguments[0], right.arguments[0]
    return replace(left, arguments=(tree.Binary(left.span, first.type, "+", first, second),))


def _is_exponential(value: tree.Value) -> bool:
    return isinstance(value, tree.Call) and value.function.library and value.function.name in _EXPONENTIALS


def is_constant(value: tree.Value) -> bool:
    """A number that the program says, in all lanes or one."""
    while isinstance(value, tree.Broadcast | tree.Splat):
        value = value.value
    return isinstance(value, tree.Constant)
