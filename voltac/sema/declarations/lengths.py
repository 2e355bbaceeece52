"""The lengths in the declarations of parameters that are arrays: ``uniform float a[2 * n]`` (language 12.10)."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.sema.declarations.declarators import array_length
from voltac.sema.operands import value_of
from voltac.sema.types import Scalar
from voltac.syntax import ast


def declare_lengths(checker: Checker, parameters: Sequence[ast.Parameter], symbols: Sequence[tree.VariableSymbol]) -> None:
    """Check the lengths of parameters that are arrays: sums of products of numbers and uniform integer parameters."""
    written = [array_length(node) for node in parameters]
    if not any(written):
        return
    checker.scopes.push()
    for symbol in symbols:
        checker.scopes.declare(symbol.name, symbol)
    try:
        for node, symbol in zip(written, symbols):
            if node is not None:
                symbol.length = value_of(checker, node)
                _check_length(checker, node.span, symbol, symbols)
    finally:
        checker.scopes.pop()


def _check_length(checker: Checker, span: Span, symbol: tree.VariableSymbol, symbols: Sequence[tree.VariableSymbol]) -> None:
    if symbol.length is None or isinstance(symbol.length, tree.Constant):
        return
    from voltac.sema.analyses.needed_elements import MOST_BITS, is_countable  # late: few programs say lengths

    type_ = symbol.length.type
    if not isinstance(type_.type, Scalar) or type_.type.kind not in ("int", "uint") or type_.is_varying:
        checker.reject("array-size", span, f"the length of array '{symbol.name}' must be a uniform integer, not '{type_}'")
    if not is_countable(symbol.length, symbols):
        checker.reject(
            "array-size",
            span,
            f"the length of array '{symbol.name}' must be made of numbers and signed integer parameters by +, - and *, at most "
            f"{MOST_BITS} bits in all; or be one unsigned parameter",
        )
