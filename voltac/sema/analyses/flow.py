"""A function's body → warnings about the order of its statements: missing return, unreachable code, values read before any.

Only statements are walked, once. Expressions are looked at from the declaration of a variable
without initial value to the first event that decides whether it is read before it is written.
What may be right is not warned of.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.attributes import FILLS_LANES
from voltac.sema.checker import Checker
from voltac.sema.tree_walk import nodes
from voltac.sema.types import Enum as EnumType
from voltac.sema.types import Pointer, Scalar, Void


def warn_about_flow(checker: Checker, symbol: tree.FunctionSymbol, body: tree.Block, has_gotos: bool) -> None:
    """Look through a body that has no mistakes."""
    walk = _Walk(checker, has_gotos)
    ends = walk.block(body)
    result = symbol.type.result
    if ends and not isinstance(result.type, Void):
        file, line, column = body.span.file, body.span.end_line, body.span.end_column
        end = Span(file, line, max(1, column - 1), line, column)
        checker.warning(
            "missing-return",
            end,
            f"a return is missing: the end of '{symbol.name}' can be reached without a value for its result '{result}'",
        )


_MOST_NODES = 20_000
"""Looked at in a function for values read before any: where variables are declared long before they are used, not all are."""


class _Walk:
    """Whether the end of a statement can be reached, and warnings on the way."""

    def __init__(self, checker: Checker, has_gotos: bool) -> None:
        self.checker = checker
        self.has_gotos = has_gotos
        self.breaks: list[bool] = []
        """For each loop and switch around: whether a break leaves it."""
        self.budget = [_MOST_NODES]
        self.meant = False
        """The statement at hand ends as it does because of a constant condition."""

    def block(self, node: tree.Block, reached: bool = True) -> bool:
        statements = node.statements
        told = not reached
        if not reached and statements and not _is_entered(statements[0]):
            self.unreachable(statements)
        for position, one in enumerate(statements):
            kind = type(one)
            if not reached:
                if not _is_entered(one):
                    if not told and not _is_habit(statements, position):
                        self.unreachable(statements[position:])
                    told = True
                    continue
                reached = True
            if kind is tree.Evaluate:
                continue
            if kind is tree.Declare:
                self.declare(one, statements, position)  # type: ignore[arg-type]
                continue
            self.meant = False
            reached = self.statement(one)
            told = self.meant
        return reached

    def unreachable(self, statements: Iterable[tree.Statement]) -> None:
        first = next((one for one in statements if not _is_nothing(one)), None)
        if first is not None and not _is_entered(first):
            self.checker.warning("unreachable", _head(first), "this statement is never reached")

    def statement(self, node: tree.Statement) -> bool:
        match node:
            case tree.Block():
                return self.block(node)
            case tree.If(test=test, then=then, otherwise=otherwise):
                after_then = self.statement(then)
                after_otherwise = self.statement(otherwise) if otherwise is not None else True
                if type(test) is tree.Constant:
                    # A switch of the preprocessor or of a constant: what it leaves out is meant to be left out.
                    self.meant = True
                    return after_then if test.value else after_otherwise
                return after_then or after_otherwise
            case tree.Loop():
                return self.loop(node)
            case tree.Switch(labels=labels, body=body):
                self.breaks.append(False)
                inner = body if isinstance(body, tree.Block) else tree.Block(body.span, (body,))
                after = self.block(inner, reached=False)
                return self.breaks.pop() or after or None not in labels
            case tree.Return() | tree.Goto() | tree.Continue():
                return False
            case tree.Break():
                if self.breaks:
                    self.breaks[-1] = True
                return False
            case tree.Foreach(body=body) | tree.ForeachActive(body=body) | tree.ForeachUnique(body=body):
                self.statement(body)
                return True
            case tree.Unmasked(body=body):
                return self.statement(body)
        return True

    def loop(self, node: tree.Loop) -> bool:
        self.breaks.append(False)
        after = self.statement(node.body)
        left = self.breaks.pop()
        endless = node.test is None or (type(node.test) is tree.Constant and bool(node.test.value))
        if left:
            return True
        if endless:
            return False
        return node.test_first or after or _mentions(node.body, tree.Continue)

    def declare(self, node: tree.Declare, statements: tuple[tree.Statement, ...], position: int) -> None:
        symbol = node.symbol
        if node.initial is not None or self.has_gotos or symbol.address_taken or symbol.is_reference:
            return
        if not isinstance(symbol.type.type, (Scalar, EnumType, Pointer)):
            return
        event = _Search(symbol, self.budget).of(statements[position + 1 :], False)
        if isinstance(event, tree.Value):
            self.checker.warning(
                "uninitialized",
                event.span,
                f"'{symbol.name}' is read here before it has a value",
                self.checker.note(symbol.span, f"'{symbol.name}' is declared here without an initial value"),
            )


def _is_entered(node: tree.Statement) -> bool:
    """Whether a label lets control in."""
    match node:
        case tree.Label() | tree.CaseLabel():
            return True
        case tree.Block(_, statements):
            return any(map(_is_entered, statements))
        case tree.If(then=then, otherwise=otherwise):
            return _is_entered(then) or (otherwise is not None and _is_entered(otherwise))
        case tree.Loop(body=body) | tree.Unmasked(body=body):
            return _is_entered(body)
    return False


def _is_nothing(node: tree.Statement) -> bool:
    match node:
        case tree.Block(_, statements):
            return all(map(_is_nothing, statements))
        case tree.Declare(initial=initial):
            return initial is None
        case tree.Break():
            # Habit puts one behind the return of each case.
            return True
    return False


def _is_habit(statements: tuple[tree.Statement, ...], position: int) -> bool:
    """A return at the end, behind branches or a loop that all return, is there for compilers that don't see that."""
    jumps = (tree.Return, tree.Break, tree.Continue, tree.Goto)
    last = position == len(statements) - 1 and isinstance(statements[position], tree.Return)
    return last and position > 0 and not isinstance(statements[position - 1], jumps)


def _head(node: tree.Statement) -> Span:
    """The first statement in nested blocks."""
    while isinstance(node, tree.Block):
        node = next(one for one in node.statements if not _is_nothing(one))
    return node.span


def _mentions(root: object, kind: type) -> bool:
    return any(isinstance(node, kind) for node in nodes(root))


# --- the first event of a variable ------------------------------------------------------------------------------


class _Event(Enum):
    NOTHING = 0
    WRITTEN = 1
    UNKNOWN = 2
    """May be written, or read after all."""


_NOTHING, _WRITTEN, _UNKNOWN = _Event.NOTHING, _Event.WRITTEN, _Event.UNKNOWN
_Found = _Event | tree.Value
"""What happens first; a value is the load that reads the variable before anything can have written it."""


def _maybe(found: _Found) -> _Found:
    """Of a body that may not be executed at all."""
    return _UNKNOWN if found is _WRITTEN else found


class _Search:
    """For the first event of one variable, over not more nodes than the budget allows."""

    def __init__(self, symbol: tree.VariableSymbol, budget: list[int]) -> None:
        self.symbol = symbol
        self.budget = budget

    def of(self, parts: Iterable[object], repeats: bool) -> _Found:
        """The first event in parts that are executed one after the other.

        ``repeats``: they are a loop's, in which what comes later may have happened before.
        """
        for part in parts:
            found = self.first(part, repeats)
            if found is not _NOTHING:
                return found
        return _NOTHING

    def first(self, node: Any, repeats: bool) -> _Found:
        symbol = self.symbol
        self.budget[0] -= 1
        if self.budget[0] < 0:
            return _UNKNOWN
        match node:
            case None | str() | int() | float():
                return _NOTHING
            case tree.Load(place=tree.Variable(symbol=read)):
                return node if read is symbol else _NOTHING
            case tree.Assign(place=tree.Variable(symbol=written), value=value) if written is symbol:
                found = self.first(value, repeats)
                return _WRITTEN if found is _NOTHING else found
            case tree.Assign(place=place, value=value):
                return self.of((value, place), repeats)
            case tree.CompoundAssign(place=tree.Variable(symbol=changed), value=value) if changed is symbol:
                found = self.first(value, repeats)
                return node if found is _NOTHING else found
            case tree.Increment(place=tree.Variable(symbol=changed)) if changed is symbol:
                return node
            case tree.Variable(symbol=named):
                return _UNKNOWN if named is symbol else _NOTHING
            case tree.Call(function=function, arguments=arguments) if FILLS_LANES in function.attributes:
                # A vector that is filled lane by lane begins as anything.
                found = self.of(arguments, repeats)
                return _UNKNOWN if found is not _NOTHING else found
            case (
                tree.If(test=test, then=then, otherwise=otherwise) | tree.Conditional(test=test, then=then, otherwise=otherwise)
            ):
                found = self.first(test, repeats)
                return found if found is not _NOTHING else self.either(then, otherwise, repeats)
            case tree.Logical(left=left, right=right):
                found = self.first(left, repeats)
                return found if found is not _NOTHING else self.either(right, None, repeats)
            case tree.Loop(test=test, step=step, body=body, test_first=test_first):
                parts = (test, body, step) if test_first else (body, test)
                found = self.of(parts, True)
                return _UNKNOWN if found is _WRITTEN and test_first else found
            case tree.Foreach(dimensions=dimensions, body=body):
                found = self.of([bound for one in dimensions for bound in (one.first, one.last)], repeats)
                return found if found is not _NOTHING else _maybe(self.first(body, True))
            case tree.ForeachActive(body=body):
                return _maybe(self.first(body, True))
            case tree.ForeachUnique(value=value, body=body):
                found = self.first(value, repeats)
                return found if found is not _NOTHING else _maybe(self.first(body, True))
            case tree.Switch(value=value, body=body):
                found = self.first(value, repeats)
                if found is not _NOTHING:
                    return found
                return _NOTHING if self.first(body, True) is _NOTHING else _UNKNOWN
            case tuple() | list():
                return self.of(node, repeats)
            case tree.Statement() | tree.Value() | tree.Place() | tree.Aggregate() | tree.LaneList():
                return self.of([getattr(node, name) for name in type(node).__match_args__[1:]], repeats)
        return _NOTHING

    def either(self, then: object, otherwise: object, repeats: bool) -> _Found:
        """One of two; where lanes disagree, both."""
        first, second = self.first(then, repeats), self.first(otherwise, repeats)
        for found in (first, second):
            if isinstance(found, tree.Value):
                return _UNKNOWN if repeats else found
        if first is second:
            return first
        return _UNKNOWN
