"""Warnings about statements that do nothing where something was meant: ``a == b;``, ``if (a);``."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from voltac.messages.message import Expanded, Span
from voltac.sema import tree
from voltac.sema.checker import Checker
from voltac.syntax import ast


def warn_of_unused(checker: Checker, node: ast.Expression, value: tree.Value) -> None:
    """The value of a built-in operator that nobody looks at; macros often leave one."""
    if not isinstance(value, tree.Binary | tree.Unary | tree.PointerOffset) or not isinstance(node, ast.Binary | ast.Unary):
        return
    operands = (node.left, node.right) if isinstance(node, ast.Binary) else (node.operand,)
    if not any(isinstance(one.span, Expanded) for one in (node, *operands)):
        text = f"nothing is done with the value of this '{node.operator}'"
        if node.operator == "==":
            text = "this is a comparison, not an assignment: write '='"
        checker.warning("unused-value", node.span, text)


def warn_of_empty_branch(checker: Checker, node: ast.If) -> None:
    """``if (a);`` does nothing, whatever stands behind it."""
    if node.otherwise is None and _is_behind(checker, node.then, node.condition.span):
        text = "the ';' is all that this 'if' controls: take it out, or write '{ }' if nothing is meant"
        checker.warning("empty-body", node.then.span, text)


def warn_of_empty_loops(checker: Checker, statements: Sequence[ast.Statement]) -> None:
    """``while (a); { ... }``: a block behind the ``;`` that ends a loop looks like its body."""
    for loop, following in itertools.pairwise(statements):
        if isinstance(following, ast.Compound) and isinstance(loop, ast.While | ast.For):
            head = loop.step if isinstance(loop, ast.For) else loop.condition
            if head is not None and _is_behind(checker, loop.body, head.span):
                text = "the ';' is the whole body of this loop, the block behind it is none: take the ';' out"
                checker.warning("empty-body", loop.body.span, text)


def _is_behind(checker: Checker, body: ast.Statement, head: Span) -> bool:
    """Whether a body is just ``;``, right behind the parenthesis after what ends the head: no macro that is empty."""
    if not isinstance(body, ast.ExpressionStatement) or body.expression is not None or isinstance(head, Expanded):
        return False
    place = body.span
    lines = checker.diagnostics.sources.get(place.file, [])
    if place.line != head.end_line or place.line > len(lines):
        return False
    between = lines[place.line - 1][head.end_column - 1 : place.column - 1]
    return bool(between.strip()) and not between.replace(")", "").strip()
