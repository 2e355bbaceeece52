"""Short loops that count with constants -> their bodies one after the other.

LLVM would unroll them too, but only behind the passes that look at addresses::

    for (uniform int k = 0; k < 3; k++) v[k] = a[3 * i + k];

is three gathers with constant offsets here: they share their loads, and the local
array becomes registers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from voltac.lower.function_context import FunctionContext
from voltac.lower.memory.variables import set_value
from voltac.sema import tree
from voltac.sema.tree_walk import nodes
from voltac.sema.types import UNIFORM, Qual, Scalar

_MOST_ITERATIONS = 16
_MOST_COPIES = 32
"""Of the innermost of nested loops."""
_MOST_NODES = 300
"""Of all copies together."""
_MOST_NODES_OF_LANES = 640
"""The same of a foreach_active: with constant lane numbers nothing is left of finding the lanes."""

_TESTS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_NEVER_COPIED = (
    *(tree.Break, tree.Continue, tree.Return, tree.Goto, tree.Label, tree.CaseLabel),
    *(tree.Launch, tree.Foreach),
)


def lower_unrolled(c: FunctionContext, node: tree.Block) -> bool:
    """Lower a block of a counter's declaration and its loop as copies of the body; false if it is none of these."""
    if len(node.statements) != 2 or c.options.level < 2 or not c.options.loop_unrolling:
        return False
    first, loop = node.statements
    if not isinstance(first, tree.Declare) or not isinstance(loop, tree.Loop) or not c.build.reachable:
        return False
    values = _values_of_counter(c, first, loop)
    if not values or len(values) * c.control.unrolled > _MOST_COPIES:
        return False
    if not _may_be_copied(loop.body, first.symbol, _MOST_NODES // len(values)):
        return False
    c.passed(first, loop)
    with c.within(unrolled=c.control.unrolled * len(values)):
        for value in values:
            set_value(c, first.symbol, c.value(tree.Constant(first.span, first.symbol.type.with_const(False), value)))
            c.statement(loop.body)
    # Behind the loop the counter is out of scope; a copy of the loop elsewhere has values of its own.
    del c.variables.values[first.symbol]
    return True


def lanes_may_be_copied(c: FunctionContext, node: tree.ForeachActive) -> bool:
    """Whether the body of a foreach_active is short enough to be written once for each lane."""
    if c.options.level < 2 or not c.options.loop_unrolling or c.width * c.control.unrolled > _MOST_COPIES:
        return False
    return _may_be_copied(node.body, node.symbol, _MOST_NODES_OF_LANES // c.width)


def _values_of_counter(c: FunctionContext, first: tree.Declare, loop: tree.Loop) -> list[int]:
    """What the counter is in each iteration; empty if that is not known or too much."""
    symbol, initial = first.symbol, first.initial
    if symbol.type.rate is not UNIFORM or symbol.address_taken or not isinstance(symbol.type.type, Scalar):
        return []
    value = _known(c, initial)
    if not symbol.type.type.is_integer or value is None:
        return []
    if not loop.test_first or loop.coherent or loop.unroll == 0 or (loop.unroll or 0) > 1:
        return []
    step = _step(loop.step, symbol)
    match loop.test:
        case tree.Binary(_, _, relation, tree.Load(_, _, tree.Variable(_, _, _, tested)), bound):
            limit = _known(c, bound)
            if tested is not symbol or relation not in _TESTS or not step or limit is None:
                return []
        case _:
            return []
    holds = _TESTS[relation]
    values: list[int] = []
    while holds(value, limit):
        values.append(value)
        value += step
        if len(values) > _MOST_ITERATIONS:
            return []
    return values


def _known(c: FunctionContext, node: object) -> int | None:
    """A number made of constants and the counters of unrolled loops around."""
    match node:
        case tree.Constant(_, Qual(Scalar("int" | "uint", _)), number):
            return int(number)
        case tree.Load(_, _, tree.Variable(_, Qual(Scalar("int" | "uint", _)), _, symbol)) if symbol in c.variables.values:
            text = c.variables.values[symbol].name
            return int(text) if text.lstrip("-").isdigit() else None
        case tree.Binary(_, _, "+" | "-" | "*" as sign, left, right):
            one, other = _known(c, left), _known(c, right)
            return None if one is None or other is None else _ARITHMETIC[sign](one, other)
    return None


def _step(node: tree.Value | None, symbol: tree.VariableSymbol) -> int:
    match node:
        case tree.Increment(_, _, tree.Variable(_, _, _, counted), sign, _) if counted is symbol:
            return 1 if sign == "++" else -1
        case tree.CompoundAssign(_, _, "+" | "-" as sign, tree.Variable(_, _, _, counted), tree.Constant(_, _, by)):
            if counted is symbol:
                return int(by) if sign == "+" else -int(by)
    return 0


def _may_be_copied(body: tree.Statement, counter: tree.VariableSymbol, most: int) -> bool:
    """Short, without jumps, and the counter only read."""
    for count, node in enumerate(nodes(body), 1):
        if count > most or isinstance(node, _NEVER_COPIED):
            return False
        match node:
            case tree.Assign(_, _, tree.Variable(_, _, _, symbol), _) if symbol is counter:
                return False
            case tree.CompoundAssign(_, _, _, tree.Variable(_, _, _, symbol), _) if symbol is counter:
                return False
            case tree.Increment(_, _, tree.Variable(_, _, _, symbol), _, _) if symbol is counter:
                return False
    return True
