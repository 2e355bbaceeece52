"""Loops, uniform and varying, and the four kinds of foreach (language 9.2, 9.5 to 9.7)."""

from __future__ import annotations

from contextlib import suppress

from voltac.sema import tree
from voltac.sema.analyses.uniformity import note_test
from voltac.sema.checked_function import EnclosingStatement
from voltac.sema.checker import Checker, Rejected, statement
from voltac.sema.conversions import convert
from voltac.sema.declarations.variables import declare_local
from voltac.sema.operands import value_of
from voltac.sema.statements.simple import check_branch, check_condition
from voltac.sema.types import INT32, INT64, UNIFORM, VARYING, Enum, Pointer, Qual, Scalar
from voltac.syntax import ast

_LOOP_INDEX = Qual(INT32, VARYING, True)
_LANE_INDEX = Qual(INT64, UNIFORM, True)


def _warn_unroll(checker: Checker, node: ast.Node, test: tree.Value | None, unroll: int | None) -> None:
    if unroll is not None and unroll != 0 and test is not None and test.type.rate is VARYING:
        checker.performance_warning(node.span, "unrolling a varying loop is slow")


def check_while(checker: Checker, node: ast.While, unroll: int | None) -> tree.Statement:
    """``while`` and ``cwhile`` (9.2)."""
    return _check_loop(checker, node, unroll, "cwhile" if node.coherent else "while", True)


def check_do(checker: Checker, node: ast.DoWhile, unroll: int | None) -> tree.Statement:
    """``do`` and ``cdo`` (9.2)."""
    return _check_loop(checker, node, unroll, "cdo" if node.coherent else "do", False)


def _check_loop(
    checker: Checker, node: ast.While | ast.DoWhile, unroll: int | None, keyword: str, tests_first: bool
) -> tree.Statement:
    test = check_condition(checker, node.condition, "condition of " + keyword)
    _warn_unroll(checker, node, test, unroll)
    frame = EnclosingStatement("loop", span=node.span.first(len(keyword)))
    note_test(checker, frame, test)
    body = check_branch(checker, node.body, frame)
    return tree.Loop(node.span, test, None, body, tests_first, node.coherent, unroll)


def check_for(checker: Checker, node: ast.For, unroll: int | None) -> tree.Statement:
    """``for`` and ``cfor`` (9.2); what is declared in the head belongs to the loop."""
    checker.scopes.push()
    frame = EnclosingStatement("loop", span=node.span.first(3 + node.coherent))
    # What the loop declares and steps belongs to it.
    checker.frames.append(frame)
    try:
        frame.declares = True
        initial = checker.statement(node.initial) if node.initial is not None else None
        frame.declares = False
        test = None
        if node.condition is not None:
            test = check_condition(checker, node.condition, "condition of " + ("cfor" if node.coherent else "for"))
        _warn_unroll(checker, node, test, unroll)
        note_test(checker, frame, test)
        step = None
        if node.step is not None:
            with suppress(Rejected):
                step = value_of(checker, node.step)
        checker.frames.pop()
        body = check_branch(checker, node.body, frame)
        checker.frames.append(frame)
    finally:
        checker.frames.pop()
        checker.scopes.pop()
    loop = tree.Loop(node.span, test, step, body, True, node.coherent, unroll)
    return loop if initial is None else tree.Block(node.span, (initial, loop))


# --- foreach ----------------------------------------------------------------------------------------------------


def check_foreach(checker: Checker, node: ast.Foreach, unroll: int | None) -> tree.Statement:
    """``foreach`` and ``foreach_tiled`` (9.5): not inside another foreach, bounds uniform."""
    word = "foreach_tiled" if node.tiled else "foreach"
    outer = next((frame for frame in checker.frames if frame.kind == "foreach"), None)
    if outer is not None and not is_empty(node.body):
        text = f"a {word} inside another foreach is not possible; move it to a function, or use a for loop"
        checker.misplaced(node.span.first(len(word)), text, checker.note_frame(outer))
    bounds = [
        (
            _bound(checker, dimension.first, f"first bound of '{dimension.name}' in {word}"),
            _bound(checker, dimension.last, f"last bound of '{dimension.name}' in {word}"),
        )
        for dimension in node.dimensions
    ]
    checker.scopes.push()
    try:
        dimensions = []
        for dimension, (first, last) in zip(node.dimensions, bounds):
            symbol = tree.VariableSymbol(dimension.name, _LOOP_INDEX, "local", dimension.span)
            declare_local(checker, symbol)
            dimensions.append(tree.ForeachDimension(symbol, first, last))
        body = check_branch(checker, node.body, EnclosingStatement("foreach", True, node.span.first(len(word))))
    finally:
        checker.scopes.pop()
    return tree.Foreach(node.span, tuple(dimensions), body, node.tiled, unroll)


def _bound(checker: Checker, node: ast.Expression, place: str) -> tree.Value:
    try:
        return convert(checker, value_of(checker, node), Qual(INT32), place, node.span)
    except Rejected:
        return tree.Constant(node.span, Qual(INT32), 0)


def is_empty(node: ast.Statement) -> bool:
    """Nothing but braces and semicolons."""
    match node:
        case ast.Compound(_, statements):
            return all(is_empty(one) for one in statements)
        case ast.ExpressionStatement(_, expression):
            return expression is None
    return False


@statement(ast.ForeachActive)
def check_foreach_active(checker: Checker, node: ast.ForeachActive) -> tree.Statement:
    """``foreach_active`` (9.6): the variable is the lane's number, uniform in the body."""
    checker.scopes.push()
    try:
        symbol = tree.VariableSymbol(node.name, _LANE_INDEX, "local", node.span)
        declare_local(checker, symbol)
        body = check_branch(
            checker, node.body, EnclosingStatement("foreach_active", True, node.span.first(len("foreach_active")))
        )
    finally:
        checker.scopes.pop()
    return tree.ForeachActive(node.span, symbol, body)


@statement(ast.ForeachUnique)
def check_foreach_unique(checker: Checker, node: ast.ForeachUnique) -> tree.Statement:
    """``foreach_unique`` (9.7): the variable is a value that lanes have, uniform in the body."""
    value = value_of(checker, node.values)
    kind = value.type.type
    if not isinstance(kind, (Scalar, Enum, Pointer)):
        checker.reject(
            "foreach-values",
            node.values.span,
            f"foreach_unique cannot iterate over values of type '{value.type}'; numbers, enums and pointers work",
        )
    if value.type.rate is not VARYING:
        checker.reject("foreach-values", node.values.span, f"foreach_unique needs a varying value, this one is '{value.type}'")
    checker.scopes.push()
    try:
        symbol = tree.VariableSymbol(node.name, Qual(kind, UNIFORM, True), "local", node.span)
        declare_local(checker, symbol)
        body = check_branch(
            checker, node.body, EnclosingStatement("foreach_unique", True, node.span.first(len("foreach_unique")))
        )
    finally:
        checker.scopes.pop()
    return tree.ForeachUnique(node.span, symbol, value, body)


# --- unrolling --------------------------------------------------------------------------------------------------


@statement(ast.While, ast.DoWhile, ast.For, ast.Foreach)
def check_loop(checker: Checker, node: ast.While | ast.DoWhile | ast.For | ast.Foreach) -> tree.Statement:
    """A loop without a pragma that tells how to unroll it."""
    return _with_unroll(checker, node, None)


def _with_unroll(checker: Checker, node: ast.While | ast.DoWhile | ast.For | ast.Foreach, unroll: int | None) -> tree.Statement:
    match node:
        case ast.While():
            return check_while(checker, node, unroll)
        case ast.DoWhile():
            return check_do(checker, node, unroll)
        case ast.For():
            return check_for(checker, node, unroll)
        case ast.Foreach():
            return check_foreach(checker, node, unroll)


@statement(ast.Pragma)
def check_pragma(checker: Checker, node: ast.Pragma) -> tree.Statement:
    """``#pragma unroll`` and ``nounroll`` in front of a loop."""
    inner = node.statement
    if isinstance(inner, ast.Pragma):
        checker.error("bad-pragma", inner.span, "there is more than one unroll pragma on this loop")
        return checker.statement(inner)
    if not isinstance(inner, (ast.While, ast.DoWhile, ast.For, ast.Foreach)):
        checker.error("bad-pragma", node.span, f"no loop follows the {node.kind} pragma")
        return checker.statement(inner)
    if node.kind == "nounroll":
        return _with_unroll(checker, inner, 0)
    if node.count is not None and node.count <= 0:
        checker.error("bad-pragma", node.span, "the unroll count has to be positive")
        return checker.statement(inner)
    return _with_unroll(checker, inner, -1 if node.count is None else node.count)
