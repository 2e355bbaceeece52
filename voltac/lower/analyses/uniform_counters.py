"""Loops that all lanes run equally often, though their counter is declared varying -> loops with a uniform counter.

::

    for (int k = 0; k < n; k++) s += v[k] * x;
    ->
    for (uniform int at = 0; at < n; at++) { int k = at; s += v[at] * x; }

Where the counter begins with a uniform value, is stepped by one and tested against another, nothing else writes it, and no
lane leaves early, it has one value in all lanes that are on: those that are off cannot be looked at. Such a loop needs no mask
of its own, its test is a branch, and what it indexes of each lane's own array are registers once the loop is written out. A
loop is only come to with a lane that is on (``node_costs``), so that it runs as often as before.
"""

from __future__ import annotations

from typing import Any

from voltac.lower.analyses.lane_visibility import observes_lanes
from voltac.lower.analyses.own_counters import CountedFor, counted_for
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.tree_walk import changed_children, nodes_of
from voltac.sema.types import UNIFORM, VARYING, Scalar

_COMPARED = ("<", "<=", ">", ">=", "!=", "==")
_COMPUTED = ("+", "-", "*", "&", "|", "^", *_COMPARED)
"""Operators that give the same and stop nothing, whatever the rate of their operands."""


def with_uniform_counters(symbol: tree.FunctionSymbol, body: tree.Block) -> tree.Block:
    """A function's body; the same object where it has no such loop."""
    if any(type(each) is tree.Loop and each.test is not None and each.test.type.rate is VARYING for each in nodes_of(symbol)):
        result: tree.Block = _Rewriting().node(body)
        return result
    return body


class _Rewriting:
    """A walk through one function; what has no such loop in it stays the same object."""

    def __init__(self) -> None:
        self.counters: dict[tree.VariableSymbol, tree.VariableSymbol] = {}
        """Varying -> uniform, of the loops around."""

    def node(self, node: Any) -> Any:
        if isinstance(node, tree.Block) and (loop := self._loop(node)) is not None:
            return loop
        if isinstance(node, tree.AddressOf):
            return node
        changes = changed_children(node, self.node)
        if self.counters:
            changes |= self._uniform_parts(node, changes)
        return replace(node, **changes) if changes else node

    def _uniform_parts(self, node: Any, changes: dict[str, object]) -> dict[str, object]:
        """The test of a branch, and the place of an element of each lane's own array, that depend on counters only."""
        if isinstance(node, tree.If) and node.test.type.rate is VARYING:
            test = self.uniform(node.test)
            return {} if test is None else {"test": test}
        if isinstance(node, tree.Element) and node.storage.rate is VARYING and node.address_rate is VARYING:
            aggregate: Any = changes.get("aggregate", node.aggregate)
            index = node.index if node.index.type.rate is UNIFORM else self.uniform(node.index)
            if index is not None and aggregate.address_rate is UNIFORM:
                return {"index": index, "address_rate": UNIFORM}
        if isinstance(node, tree.MemberPlace) and node.address_rate is VARYING:
            struct: Any = changes.get("struct", node.struct)
            if struct.address_rate is UNIFORM:
                return {"address_rate": UNIFORM}
        return {}

    def _loop(self, node: tree.Block) -> tree.Block | None:
        found = counted_for(node, VARYING)
        if found is None or not _is_left_together(found):
            return None
        symbol, declared, loop = found.symbol, found.declared, found.loop
        initial = self.uniform(declared.initial)
        if initial is None or loop.test is None:
            return None
        counter = tree.VariableSymbol(symbol.name, symbol.type.with_rate(UNIFORM), "local", symbol.span, assigned=True)
        self.counters[symbol] = counter
        test, step = self.uniform(loop.test), self._step(loop.step, counter)
        if test is None or step is None or not isinstance(loop.test, tree.Binary):
            del self.counters[symbol]
            return None
        span = declared.span
        value = tree.Broadcast(span, symbol.type.with_const(False), _load(counter, span))
        body = tree.Block(loop.body.span, (tree.Declare(span, symbol, value), self.node(loop.body)))
        del self.counters[symbol]
        again = replace(loop, test=test, step=step, body=body, coherent=False)
        return replace(node, statements=(tree.Declare(span, counter, initial), again))

    def _step(self, step: tree.Value | None, counter: tree.VariableSymbol) -> tree.Value | None:
        if isinstance(step, tree.Increment):
            return replace(step, type=step.type.with_rate(UNIFORM), place=tree.variable(counter, step.span))
        if isinstance(step, tree.CompoundAssign) and step.operator in ("+", "-"):
            value = self.uniform(step.value)
            if value is not None:
                place = tree.variable(counter, step.span)
                return replace(step, type=step.type.with_rate(UNIFORM), place=place, value=value)
        return None

    def uniform(self, value: object) -> tree.Value | None:
        """The one value that the lanes have which are on; None where they may have several."""
        match value:
            case tree.Constant():
                return replace(value, type=value.type.with_rate(UNIFORM))
            case tree.Broadcast():
                return value.value
            case tree.Load(place=tree.Variable(symbol=symbol)):
                counter = self.counters.get(symbol)
                return None if counter is None else _load(counter, value.span)
            case tree.Convert(value=inner):
                to = self.uniform(inner)
                if to is None or not _is_number(value.type.type) or not _is_number(to.type.type):
                    return None
                return replace(value, type=value.type.with_rate(UNIFORM), value=to)
            case tree.Binary(operator=operator):
                left, right = self.uniform(value.left), self.uniform(value.right)
                if left is None or right is None or operator not in _COMPUTED or not _is_number(left.type.type):
                    return None
                return replace(value, type=value.type.with_rate(UNIFORM), left=left, right=right)
        return None


def _is_number(type: object) -> bool:
    return isinstance(type, Scalar) and type.is_integer


def _is_left_together(found: CountedFor) -> bool:
    """Whether lanes go by the test of a number only."""
    test, step = found.loop.test, found.loop.step
    if not isinstance(test, tree.Binary) or test.operator not in _COMPARED or not _is_number(found.symbol.type.type):
        return False
    return _steps(step, found.symbol) and not found.breaks and not observes_lanes(found.loop.body)


def _steps(step: object, symbol: tree.VariableSymbol) -> bool:
    if not isinstance(step, tree.Increment | tree.CompoundAssign):
        return False
    return isinstance(step.place, tree.Variable) and step.place.symbol is symbol


def _load(symbol: tree.VariableSymbol, span: Any) -> tree.Load:
    return tree.Load(span, symbol.type.with_const(False), tree.variable(symbol, span))
