"""Whether a function can observe the values of lanes that are off.

In most functions it cannot: then a variable declared under a mask may be assigned
in all lanes by a plain store instead of a ``select``, for a lane that is off at the
declaration never comes back while the variable lives. What can look at other lanes
is: ``unmasked`` blocks and ``foreach`` (which switch lanes on), ``print``, lane
crossing builtins, and calls of functions whose body does so or is unknown.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from voltac.sema import tree
from voltac.sema.attributes import ACTIVE_LANES
from voltac.sema.builtins import BUILTINS, Lanes
from voltac.sema.tree_walk import nodes
from voltac.sema.types import VARYING

_OBSERVERS = frozenset((tree.Unmasked, tree.Foreach, tree.Print, tree.CallPointer, tree.Intrinsic, tree.Launch))
"""Classes of nodes, which have no others below them."""

_KNOWN: WeakKeyDictionary[tree.FunctionSymbol, bool] = WeakKeyDictionary()
"""By the object: what is known of a function goes when its symbol does."""


def crosses_lanes(symbol: tree.FunctionSymbol) -> bool:
    """For a whole function."""
    known = _KNOWN.get(symbol)
    if known is not None:
        return known
    if ACTIVE_LANES in symbol.attributes:
        return False
    if symbol.body is None:
        return True
    _KNOWN[symbol] = True  # what a recursive call does is not known yet
    result = _KNOWN[symbol] = observes_lanes(symbol.body)
    return result


def observes_lanes(root: object) -> bool:
    """For a stretch of code."""
    for node in nodes(root):
        kind = type(node)
        if kind is tree.Builtin:
            if BUILTINS[node.name].lanes is Lanes.ALL:
                return True
        elif kind is tree.Call:
            if crosses_lanes(node.function):
                return True
        elif kind in _OBSERVERS:
            return True
    return False


def shows_lanes(node: tree.Foreach) -> bool:
    """Whether it may show which lane handles an element: lanes have something of their own there besides the loop variables."""
    if observes_lanes(node.body):
        return True
    seen: set[tree.FunctionSymbol] = set()
    waiting = [(node.body, {dimension.symbol for dimension in node.dimensions})]
    while waiting:
        body, inside = waiting.pop()
        inside |= {each.symbol for each in nodes(body) if isinstance(each, tree.Declare) and each.symbol.kind == "local"}
        for each in nodes(body):
            if _is_of_lanes(each, inside):
                return True
            if isinstance(each, tree.Call) and not each.function.library and each.function not in seen:
                assert each.function.body is not None  # else it may observe lanes
                seen.add(each.function)
                waiting.append((each.function.body, set(each.function.parameters)))
    return False


def _is_of_lanes(node: object, inside: set[tree.VariableSymbol]) -> bool:
    """Whether lanes have it from outside: their numbers, varying variables, what lies in memory for each of them."""
    if isinstance(node, tree.Variable):
        return node.storage.rate is VARYING and node.symbol not in inside
    if isinstance(node, tree.Deref):
        return node.storage.rate is VARYING and not (node.of_reference and _is_inside(node.pointer, inside))
    return isinstance(node, tree.ProgramIndex | tree.ActiveMask | tree.LaneList)


def _is_inside(reference: object, inside: set[tree.VariableSymbol]) -> bool:
    """A reference to something of the loop: its own, or an argument, which the caller names."""
    return isinstance(reference, tree.Load) and isinstance(reference.place, tree.Variable) and reference.place.symbol in inside
