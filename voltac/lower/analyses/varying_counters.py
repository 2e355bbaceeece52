"""Searches with a uniform counter that lanes leave one by one -> the same with a counter of each lane, which one test ends.

::

    for (uniform int k = 0; k < n; k++) if (row[16 * i + k] == x) { at = k; break; }
    ->
    for (int k = 0; k < n; k++) if (row[16 * i + k] == x) { at = k; break; }

The counter has the same value in all lanes that are on. An iteration then asks once whether a lane is left, not for the counter
and for the lanes, and the passes can do one lane after the other (``passes/rows/walk_runs.py``). Only where the counter is used
together with values of lanes: what is indexed by it alone is one for the gang.
"""

from __future__ import annotations

from typing import Any

from voltac.lower.analyses.lane_visibility import observes_lanes
from voltac.lower.analyses.own_counters import counted_for
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.tree_walk import changed_children, nodes, nodes_of
from voltac.sema.types import UNIFORM, VARYING, Scalar

_COMPARED = ("<", "<=", ">", ">=", "!=")
_COMPUTED = ("+", "-", "*", *_COMPARED)


def with_varying_counters(symbol: tree.FunctionSymbol, body: tree.Block) -> tree.Block:
    """A function's body; the same object where it has no such loop."""
    if any(type(each) is tree.Break for each in nodes_of(symbol)):
        result: tree.Block = _statement(body)
        return result
    return body


def _statement(node: Any) -> Any:
    if isinstance(node, tree.Block):
        inner = tuple([_statement(each) for each in node.statements])
        if any(new is not old for new, old in zip(inner, node.statements)):
            node = replace(node, statements=inner)
        return _with_varying(node) or node
    changes = {}
    for name in ("body", "then", "otherwise"):
        old = getattr(node, name, None)
        if isinstance(old, tree.Statement) and (new := _statement(old)) is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def _with_varying(node: tree.Block) -> tree.Block | None:
    found = counted_for(node, UNIFORM)
    if found is None or not found.breaks or found.symbol.type.type != Scalar("int", 32):
        return None
    symbol, declared, loop = found.symbol, found.declared, found.loop
    if not isinstance(declared.initial, tree.Value) or not isinstance(loop.test, tree.Binary) or observes_lanes(loop.body):
        return None
    counter = tree.VariableSymbol(symbol.name, symbol.type.with_rate(VARYING), "local", symbol.span, assigned=True)
    lift = _Lifting(symbol, counter)
    test, step, body = lift.lifted(loop.test), lift.step(loop.step), lift.node(loop.body)
    if test is None or step is None or lift.fails:
        return None
    initial = tree.Broadcast(declared.span, counter.type.with_const(False), declared.initial)
    declare = tree.Declare(declared.span, counter, initial)
    return replace(node, statements=(declare, replace(loop, test=test, step=step, body=body)))


class _Lifting:
    """A walk through one loop's body."""

    def __init__(self, symbol: tree.VariableSymbol, counter: tree.VariableSymbol) -> None:
        self.symbol = symbol
        self.counter = counter
        self.fails = False
        """The counter is used where only a uniform value may stand."""

    def node(self, node: Any) -> Any:
        if isinstance(node, tree.Broadcast):
            lifted = self.lifted(node.value) if self._has_counter(node.value) else node
            self.fails = self.fails or lifted is None
            return lifted
        if isinstance(node, tree.Variable) and node.symbol is self.symbol:
            self.fails = True
            return node
        changes = changed_children(node, self.node)
        return replace(node, **changes) if changes else node

    def step(self, step: tree.Value | None) -> tree.Value | None:
        if not isinstance(step, tree.Increment | tree.CompoundAssign):
            return None
        place, type = tree.variable(self.counter, step.span), step.type.with_rate(VARYING)
        if not isinstance(step.place, tree.Variable) or step.place.symbol is not self.symbol:
            return None
        if isinstance(step, tree.Increment):
            return replace(step, type=type, place=place)
        value = self.lifted(step.value)
        return None if value is None or step.operator not in ("+", "-") else replace(step, type=type, place=place, value=value)

    def lifted(self, value: tree.Value) -> tree.Value | None:
        """A uniform value, for each lane."""
        type = value.type.with_rate(VARYING)
        if not self._has_counter(value):
            return tree.Broadcast(value.span, type.with_const(False), value)
        match value:
            case tree.Load(place=tree.Variable()):
                return tree.Load(value.span, type, tree.variable(self.counter, value.span))
            case tree.Binary(operator=operator) if operator in _COMPUTED:
                left, right = self.lifted(value.left), self.lifted(value.right)
                return None if left is None or right is None else replace(value, type=type, left=left, right=right)
        return None

    def _has_counter(self, value: tree.Value) -> bool:
        return any(isinstance(each, tree.Variable) and each.symbol is self.symbol for each in nodes(value))
