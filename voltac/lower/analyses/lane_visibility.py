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

_OBSERVERS = (tree.Unmasked, tree.Foreach, tree.Print, tree.CallPointer, tree.Intrinsic, tree.Launch)

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
        if isinstance(node, tree.Builtin):
            if BUILTINS[node.name].lanes is Lanes.ALL:
                return True
        elif isinstance(node, tree.Call):
            if crosses_lanes(node.function):
                return True
        elif isinstance(node, _OBSERVERS):
            return True
    return False
