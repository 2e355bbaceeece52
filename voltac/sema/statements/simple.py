"""Statements without loops and jumps: blocks, expressions, selection, output."""

from __future__ import annotations

from contextlib import suppress

from voltac.messages.message import Note, Span
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name
from voltac.sema import constant_folding, tree
from voltac.sema.analyses.uniformity import note_test
from voltac.sema.checked_function import FOREACH_KINDS, EnclosingStatement
from voltac.sema.checker import Checker, Rejected, statement
from voltac.sema.conversions import build, is_constant, to_bool
from voltac.sema.operands import to_value, value_of
from voltac.sema.scopes import FunctionSet, Poisoned, TypeSymbol
from voltac.sema.statements.without_effect import warn_of_empty_branch, warn_of_empty_loops, warn_of_unused
from voltac.sema.types import (
    ATOMIC_TYPES,
    BOOL,
    INT32,
    UINT32,
    Array,
    Enum,
    Pointer,
    Qual,
    Scalar,
)
from voltac.syntax import ast

_LOOPS = (*FOREACH_KINDS, "loop")
_DEEPEST_LOOPS = 100
"""What LLVM does with loops in loops takes time with the cube of their number: 100 take two seconds, 250 half a minute."""


@statement(ast.Compound)
def check_compound(checker: Checker, node: ast.Compound) -> tree.Statement:
    """``{ ... }``, a scope."""
    checker.scopes.push()
    try:
        warn_of_empty_loops(checker, node.statements)
        return tree.Block(node.span, tuple([checker.statement(one) for one in node.statements]))
    finally:
        checker.scopes.pop()


@statement(ast.Mistake)
def check_mistake(checker: Checker, node: ast.Mistake) -> tree.Statement:
    """A statement with a syntax error, which was reported."""
    assert checker.function is not None
    checker.function.mistaken = True
    checker.poison(node)
    return tree.Block(node.span, ())


def check_branch(checker: Checker, node: ast.Statement, frame: EnclosingStatement) -> tree.Statement:
    """A statement under another one: a scope and a frame of its own."""
    frames = checker.frames
    if len(frames) >= _DEEPEST_LOOPS and sum(one.kind in _LOOPS for one in (*frames, frame)) > _DEEPEST_LOOPS:
        text = f"loops are nested too deeply: the limit is {_DEEPEST_LOOPS}; move the inner ones to a function"
        checker.error("nesting", frame.span, text)
        return tree.Block(node.span, ())
    frames.append(frame)
    checker.scopes.push()
    try:
        return checker.statement(node)
    finally:
        checker.scopes.pop()
        frames.pop()


@statement(ast.ExpressionStatement)
def check_expression_statement(checker: Checker, node: ast.ExpressionStatement) -> tree.Statement:
    """``e;`` and ``;``."""
    if node.expression is None:
        return tree.Block(node.span, ())
    _reject_unknown_type(checker, node.expression)
    operand = checker.expression(node.expression)
    if isinstance(operand, FunctionSet):
        return tree.Block(node.span, ())
    value = to_value(checker, operand, node.expression.span)
    warn_of_unused(checker, node.expression, value)
    return tree.Evaluate(node.span, value)


def _reject_unknown_type(checker: Checker, node: ast.Expression) -> None:
    """``Foo * p;`` is a product where Foo is no type; nobody writes that for its value."""
    names = []
    while isinstance(node, ast.Binary) and node.operator == ",":
        names.append(node.right)
        node = node.left
    match node:
        case ast.Binary(_, "*" | "&", ast.Name() as kind, first) if checker.find(kind.name) is None:
            for declarator in (first, *names):
                while isinstance(declarator, ast.Unary):
                    declarator = declarator.operand
                if isinstance(declarator, ast.Name) and checker.find(declarator.name) is None:
                    checker.scopes.declare(declarator.name, Poisoned(declarator.name, declarator.span))
            known = (name for name, symbol in checker.scopes.visible() if isinstance(symbol, TypeSymbol))
            checker.reject_unknown(
                kind.name, kind.span, f"unknown type '{kind.name}'{suggestion(kind.name, (*known, *ATOMIC_TYPES))}"
            )


def check_condition(checker: Checker, node: ast.Expression, place: str) -> tree.Value:
    """A condition as a bool; after a mistake it counts as uniform and true, so that the body is checked."""
    if isinstance(node, ast.Assignment) and node.operator == "=" and not _in_own_parentheses(checker, node.span):
        text = "this is an assignment, not a comparison: write '==', or a second pair of parentheses around it"
        checker.warning("assignment", node.span, text)
    try:
        return to_bool(checker, value_of(checker, node), place)
    except Rejected:
        return tree.Constant(node.span, Qual(BOOL), True)


def _in_own_parentheses(checker: Checker, span: Span) -> bool:
    """Whether an expression in parentheses stands in another pair of them, which the tree does not keep."""
    lines = checker.diagnostics.sources.get(span.file, [])
    before = lines[span.line - 1][: span.column - 1] if span.line <= len(lines) else ""
    return before.replace(" ", "").endswith("((")


@statement(ast.If)
def check_if(checker: Checker, node: ast.If) -> tree.Statement:
    """``if`` and ``cif`` (9.1); in a branch that a constant leaves out nothing is warned of."""
    test = check_condition(checker, node.condition, "condition of " + ("cif" if node.coherent else "if"))
    frame = EnclosingStatement("if", span=node.span.first(2 + node.coherent))
    note_test(checker, frame, test)
    frame.left_out = is_constant(test, False)
    then = check_branch(checker, node.then, frame)
    warn_of_empty_branch(checker, node)
    otherwise = None
    if node.otherwise is not None:
        frame.left_out = is_constant(test, True)
        otherwise = check_branch(checker, node.otherwise, frame)
    return tree.If(node.span, test, then, otherwise, node.coherent)


# --- switch -----------------------------------------------------------------------------------------------------


@statement(ast.Switch)
def check_switch(checker: Checker, node: ast.Switch) -> tree.Statement:
    """``switch`` (9.4); without a value that can be one its body is checked all the same."""
    try:
        value = switch_value(checker, node.value)
    except Rejected:
        value = tree.Constant(node.value.span, Qual(INT32), 0)
    frame = EnclosingStatement("switch", span=node.span.first(len("switch")), label_type=value.type)
    note_test(checker, frame, value)
    if type(value) is tree.Constant:
        frame.selected, frame.left_out = int(value.value), True
    body = check_branch(checker, node.body, frame)
    return tree.Switch(node.span, value, tuple(frame.labels), body)


def switch_value(checker: Checker, node: ast.Expression) -> tree.Value:
    """Small integers and bools widen to 32 bits, a float becomes an int32, 64 bits stay."""
    value = value_of(checker, node)
    kind = value.type.type
    if isinstance(kind, Enum):
        return build(value, Qual(UINT32, value.type.rate))
    if not isinstance(kind, Scalar):
        checker.reject("switch-case", node.span, f"the value of a switch must be an integer, enum or bool, not '{value.type}'")
    if kind.is_integer and kind.bits == 64:
        return value
    return build(value, Qual(UINT32 if kind == UINT32 else INT32, value.type.rate))


def _enclosing_switch(checker: Checker, node: ast.Case | ast.Default, word: str) -> EnclosingStatement:
    for frame in reversed(checker.frames):
        if frame.kind == "switch":
            return frame
        if frame.kind in FOREACH_KINDS:
            break
    with suppress(Rejected):
        checker.misplaced(node.span.first(len(word)), f"'{word}' stands outside of any switch")
    return EnclosingStatement("switch", False, label_type=Qual(INT32))


@statement(ast.Case)
def check_case(checker: Checker, node: ast.Case) -> tree.Statement:
    """``case`` (9.4): a constant that no other label of the switch has."""
    return _labelled(checker, node)


def _labelled(checker: Checker, node: ast.Case | ast.Default) -> tree.Statement:
    """Chains of labels are walked with a loop; each adds its label in front of the statement."""
    labels: list[tree.Statement] = []
    here: ast.Statement = node
    while isinstance(here, (ast.Case, ast.Default)):
        frame = _enclosing_switch(checker, here, "case" if isinstance(here, ast.Case) else "default")
        with suppress(Rejected):
            labels.append(_label(checker, here, frame))
        here = here.statement
    return tree.Block(node.span, (*labels, checker.statement(here)))


@statement(ast.Default)
def check_default(checker: Checker, node: ast.Default) -> tree.Statement:
    """``default`` (9.4), once in a switch."""
    return _labelled(checker, node)


def _label(checker: Checker, node: ast.Case | ast.Default, frame: EnclosingStatement) -> tree.CaseLabel:
    if isinstance(node, ast.Default):
        if None in frame.labels:
            checker.reject(
                "switch-case",
                node.span.first(len("default")),
                f"a second default in this switch; the first is in line {frame.labels[None].line}",
                Note(frame.labels[None], "the first default is here"),
            )
        frame.labels[None] = node.span.first(len("default"))
        if frame.selected not in frame.labels:
            frame.left_out = False
        return tree.CaseLabel(node.span, None)
    value = case_value(checker, node.value)
    assert frame.label_type is not None and isinstance(frame.label_type.type, Scalar)
    number = constant_folding.wrap(value, frame.label_type.type)
    if number in frame.labels:
        checker.reject(
            "switch-case",
            node.value.span,
            f"case value {number} is used twice; the first is in line {frame.labels[number].line}",
            Note(frame.labels[number], "the first case of this value is here"),
        )
    frame.labels[number] = node.value.span
    if number == frame.selected:
        frame.left_out = False
    return tree.CaseLabel(node.span, number)


def case_value(checker: Checker, node: ast.Expression) -> int:
    """Literals, enumerators, template parameters and expressions of them; no variable, not even a const one."""
    name = _variable_in(checker, node)
    value = value_of(checker, node)
    if name is not None or not isinstance(value, tree.Constant):
        which = f": '{name}' is a variable" if name is not None else ""
        checker.reject(
            "switch-case", node.span, f"a case value must be a constant expression of literals and enumerators{which}"
        )
    if isinstance(value.value, float) or isinstance(value.type.type, Pointer):
        checker.reject("switch-case", node.span, f"a case value must be an integer constant, not '{value.type}'")
    number = int(value.value)
    if not -(2**31) <= number < 2**32:
        checker.reject("switch-case", node.span, f"the case value {number} does not fit 32 bits")
    # The literal of -2147483648 is a uint32, whose negative a value of 64 bits would never be.
    return constant_folding.wrap(number, INT32) if value.type.type == UINT32 and _is_negated(node) else number


def _is_negated(node: ast.Expression) -> bool:
    match node:
        case ast.Unary(_, "-", _):
            return True
        case ast.Binary(_, "+" | "-", left, _):
            return _is_negated(left)
    return False


def _variable_in(checker: Checker, node: object) -> str | None:
    match node:
        case ast.Name(_, name):
            return name if isinstance(checker.find(name), tree.VariableSymbol) else None
        case ast.Unary(_, _, operand) | ast.Cast(_, _, operand):
            return _variable_in(checker, operand)
        case ast.Binary(_, _, left, right):
            return _variable_in(checker, left) or _variable_in(checker, right)
        case ast.Conditional(_, test, then, otherwise):
            return _variable_in(checker, test) or _variable_in(checker, then) or _variable_in(checker, otherwise)
    return None


# --- others -----------------------------------------------------------------------------------------------------


@statement(ast.Unmasked)
def check_unmasked(checker: Checker, node: ast.Unmasked) -> tree.Statement:
    """Its braces open no scope: what is declared inside is visible behind it."""
    checker.frames.append(EnclosingStatement("unmasked", False))
    body = tree.Block(node.body.span, tuple([checker.statement(one) for one in node.body.statements]))
    checker.frames.pop()
    return tree.Unmasked(node.span, body)


@statement(ast.Print)
def check_print(checker: Checker, node: ast.Print) -> tree.Statement:
    """``print`` (13.12): a text that is a literal, an argument for each percent sign."""
    pieces = tuple(node.format.split("%"))
    signs, given = len(pieces) - 1, len(node.arguments)
    if signs != given:
        which = "fewer" if given < signs else "more"
        checker.reject(
            "print-arguments",
            node.span,
            f"print has {which} arguments than percent signs: {given} arguments, {signs} percent signs",
        )
    arguments = []
    for one in node.arguments:
        operand = checker.expression(one)
        if isinstance(operand, tree.Place) and isinstance(operand.storage.type, Array):
            checker.reject(
                "print-arguments", one.span, f"an array of type '{operand.storage}' cannot be printed; print its elements"
            )
        value = to_value(checker, operand, one.span)
        if not isinstance(value.type.type, (Scalar, Pointer)):
            hint = "; cast it to an integer" if isinstance(value.type.type, Enum) else ""
            checker.reject("print-arguments", one.span, f"a value of type '{value.type}' cannot be printed{hint}")
        arguments.append(value)
    return tree.Print(node.span, pieces, tuple(arguments))


@statement(ast.Assert)
def check_assert(checker: Checker, node: ast.Assert) -> tree.Statement:
    """``assert`` (13.11)."""
    test = to_bool(checker, value_of(checker, node.condition), "assert")
    place = f"{node.span.file}:{node.span.line}:{node.span.column}"
    return tree.Assert(node.span, test, f"{visible_name(place)}: Assertion failed: {visible_name(node.text)} \n\n")


@statement(ast.Sync)
def check_sync(checker: Checker, node: ast.Sync) -> tree.Statement:
    """``sync`` (11): waits for the tasks of this function."""
    return tree.Sync(node.span)


@statement(ast.Delete)
def check_delete(checker: Checker, node: ast.Delete) -> tree.Statement:
    """``delete`` and ``delete[]`` (8.9), of a pointer."""
    operand = checker.expression(node.pointer)
    value = to_value(checker, operand, node.pointer.span)
    found = operand.type if isinstance(operand, tree.Place) else value.type
    if not isinstance(found.type, Pointer):
        checker.reject("allocation", node.pointer.span, f"only pointers can be deleted, not '{found}', which is no pointer")
    return tree.Delete(node.span, value)
