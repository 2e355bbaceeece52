"""Jumps: break, continue, return, labels and goto (language 9.3, 9.8)."""

from __future__ import annotations

from voltac.messages.message import Note, Span
from voltac.messages.suggestions import suggestion
from voltac.sema import tree
from voltac.sema.analyses.effects import root_of_pointer
from voltac.sema.analyses.uniformity import note_exit
from voltac.sema.checked_function import FOREACH_KINDS, EnclosingStatement
from voltac.sema.checker import Checker, Operand, statement
from voltac.sema.operands import convert_operand, to_value
from voltac.sema.overloads.call_building import reference_argument
from voltac.sema.types import Pointer, Qual, Reference, Void
from voltac.syntax import ast


@statement(ast.Break)
def check_break(checker: Checker, node: ast.Break) -> tree.Statement:
    """``break`` (9.3), of the innermost loop or switch."""
    for depth, frame in enumerate(reversed(checker.frames)):
        if frame.kind in ("loop", "switch"):
            note_exit(frame, checker.frames[len(checker.frames) - depth :])
            _end_case(checker)
            return tree.Break(node.span)
        if frame.kind in FOREACH_KINDS:
            text = f"break cannot leave a {frame.kind}, and there is no loop or switch inside it to leave"
            text += "; 'continue' ends an iteration, and a 'for' loop can be left"
            checker.misplaced(node.span, text, checker.note_frame(frame))
        _warn_unmasked(checker, frame, "break", node.span)
    checker.misplaced(node.span, "break has no loop or switch to leave")


def _end_case(checker: Checker) -> None:
    """A jump: in a switch of a constant, what follows runs only if it begins with the right label."""
    if checker.frames and checker.frames[-1].selected is not None:
        checker.frames[-1].left_out = True


@statement(ast.Continue)
def check_continue(checker: Checker, node: ast.Continue) -> tree.Statement:
    """``continue`` (9.3), of the innermost loop or foreach."""
    for depth, frame in enumerate(reversed(checker.frames)):
        if frame.kind == "loop" or frame.kind in FOREACH_KINDS:
            note_exit(frame, checker.frames[len(checker.frames) - depth :])
            return tree.Continue(node.span)
        if frame.kind == "switch":
            text = "continue has no loop to continue: it cannot leave the switch it stands in"
            checker.misplaced(node.span, text, checker.note_frame(frame))
        _warn_unmasked(checker, frame, "continue", node.span)
    checker.misplaced(node.span, "continue has no loop to continue")


def _warn_unmasked(checker: Checker, frame: EnclosingStatement, word: str, span: Span) -> None:
    if frame.kind == "unmasked":
        checker.warning("unmasked", span, f"{word} out of an unmasked block: which lanes it takes along is undefined")


@statement(ast.Return)
def check_return(checker: Checker, node: ast.Return) -> tree.Statement:
    """``return`` (9.3): its value converts to the function's result."""
    assert checker.function is not None
    function = checker.function.symbol
    for frame in checker.frames:
        if frame.kind in FOREACH_KINDS:
            text = f"return cannot leave a {frame.kind}; set a variable and return behind it"
            checker.misplaced(node.span, text, checker.note_frame(frame))
        _warn_unmasked(checker, frame, "return", node.span)
    result = function.type.result
    if node.value is None:
        _end_case(checker)
        if not isinstance(result.type, Void):
            checker.reject("return-value", node.span, f"return needs a value: '{function.name}' has the result type '{result}'")
        return tree.Return(node.span, None)
    operand = checker.expression(node.value)
    _end_case(checker)
    if isinstance(result.type, Void):
        value = to_value(checker, operand, node.value.span)
        checker.reject(
            "return-value",
            node.span,
            f"the void function '{function.name}' has no result, but a value of type '{value.type}' is returned",
        )
    value = _returned(checker, node, operand, result)
    root = root_of_pointer(value, {}) if isinstance(value.type.type, Pointer) else None
    if isinstance(root, tree.Variable) and root.symbol.kind in ("local", "parameter"):
        name = root.symbol.name
        text = (
            f"'{name}' ends with the function, and its address is returned; return its value, or let the caller give the place"
        )
        checker.warning("local-address", node.value.span, text, checker.note(root.symbol.span, f"'{name}' is declared here"))
    return tree.Return(node.span, value)


def _returned(checker: Checker, node: ast.Return, operand: Operand, result: Qual) -> tree.Value:
    assert checker.function is not None and node.value is not None
    if isinstance(result.type, Reference):
        if isinstance(operand, tree.Value):
            checker.reject(
                "return-value", node.value.span, f"return statement: a value has no address for the reference '{result}'"
            )
        return reference_argument(checker, operand, result.type.to, "return statement", node.value.span)
    checker.converted_for = checker.function.symbol
    try:
        return convert_operand(checker, operand, result, "return statement", node.value.span)
    finally:
        checker.converted_for = None


@statement(ast.Labelled)
def check_labelled(checker: Checker, node: ast.Labelled) -> tree.Statement:
    """``name: statement``; the name is one function's, in whatever scope it stands."""
    assert checker.function is not None
    labels = checker.function.labels
    label: tuple[tree.Statement, ...] = ()
    if node.name in labels:
        checker.error(
            "redeclared",
            node.span.first(len(node.name)),
            f"label '{node.name}' is defined twice; the first is in line {labels[node.name].line}",
            Note(labels[node.name], f"'{node.name}' is first defined here"),
        )
    else:
        labels[node.name] = node.span.first(len(node.name))
        if any(frame.varying or frame.kind in FOREACH_KINDS for frame in checker.frames):
            checker.function.guarded_labels.add(node.name)  # no goto leads here, so it stands in the typed tree for nothing
        else:
            label = (tree.Label(node.span, node.name),)
    return tree.Block(node.span, (*label, checker.statement(node.statement)))


@statement(ast.Goto)
def check_goto(checker: Checker, node: ast.Goto) -> tree.Statement:
    """``goto`` (9.8): under uniform control flow only, and not inside a foreach."""
    assert checker.function is not None
    for frame in checker.frames:
        if frame.kind in FOREACH_KINDS:
            checker.reject("misplaced", node.span, f"goto is not possible inside a {frame.kind}", checker.note_frame(frame))
        if frame.varying:
            text = f"goto is not possible under varying control flow (here a varying {frame.kind})"
            checker.reject("misplaced", node.span, text, checker.note_frame(frame))
    checker.function.gotos.append(node)
    return tree.Goto(node.span, node.name)


def check_gotos(checker: Checker) -> None:
    """At the end of a function: every goto has its label."""
    assert checker.function is not None
    labels = checker.function.labels
    for goto in checker.function.gotos:
        if goto.name not in labels and checker.function.mistaken:
            continue
        if goto.name not in labels:
            checker.error("undeclared", goto.span, f"the function has no label '{goto.name}'{suggestion(goto.name, labels)}")
        elif goto.name in checker.function.guarded_labels:
            checker.error("misplaced", goto.span, f"goto '{goto.name}' jumps into varying control flow, which is not possible")
