"""Calls of library functions that have work in common where their argument is the same: ``sin(t)`` and ``cos(t)``.

A function with ``shares_work(paired)`` has another beside it, ``paired_sin``, with the same results. It takes longer alone, but
when LLVM has both ``paired_sin(t)`` and ``paired_cos(t)`` before it, it computes once what they have in common. Which calls are
close enough together is a guess: those of one list of statements, by the words of their argument.
"""

from __future__ import annotations

from typing import Any

from voltac.records import replace
from voltac.sema import tree
from voltac.sema.attributes import SHARES_WORK, argument_of
from voltac.sema.checker import Checker
from voltac.sema.overloads.by_constant import beside
from voltac.sema.tree_walk import changed_children, children


def with_paired_calls(checker: Checker, body: tree.Block) -> tree.Block:
    """A function's body; the same object where no two calls have work in common."""
    found: dict[tuple[int, object], list[tree.Call]] = {}
    _collect(body, 0, found)
    paired: dict[int, tree.FunctionSymbol] = {}
    for calls in found.values():
        if len({call.function.name for call in calls}) > 1:
            for call in calls:
                other = beside(checker, call.function, f"{argument_of(call.function, SHARES_WORK)}_{call.function.name}")
                if other is not None:
                    checker.demand_body(other)
                    paired[id(call)] = other

    def change(node: Any) -> Any:
        changes = changed_children(node, change)
        if id(node) in paired:
            changes["function"] = paired[id(node)]
        return replace(node, **changes) if changes else node

    result: tree.Block = change(body) if paired else body
    return result


def _collect(node: object, block: int, found: dict[tuple[int, object], list[tree.Call]]) -> None:
    if isinstance(node, tree.Block):
        block = id(node)
    elif isinstance(node, tree.Call) and argument_of(node.function, SHARES_WORK) is not None:
        words = _words(node.arguments[0])
        if words is not None:
            found.setdefault((block, words), []).append(node)
    for child in children(node):
        _collect(child, block, found)


def _words(value: tree.Value) -> object:
    """What is the same for equal expressions of variables and numbers; None for others."""
    match value:
        case tree.Load(place=tree.Variable(symbol=symbol)):
            return id(symbol)
        case tree.Constant(value=number):
            return "constant", number
        case tree.Convert(value=inner) | tree.Broadcast(value=inner) | tree.Unary(operand=inner):
            words = _words(inner)
            return None if words is None else (type(value).__name__, str(value.type), words)
        case tree.Binary(operator=operator, left=left, right=right):
            both = _words(left), _words(right)
            return None if None in both else (operator, *both)
    return None
