"""The nodes below a node of the typed tree, for analyses that look at every node alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from voltac.sema import tree


def children(node: object) -> list[object]:
    """The nodes directly below a node, in the order of the source."""
    kind = type(node)
    if kind is tuple:
        return [child for child in node if _IS_NODE[type(child)]]  # type: ignore[attr-defined]
    out: list[object] = []
    fields = _FIELDS.get(kind)
    for name in _fields(kind) if fields is None else fields:
        child = getattr(node, name)
        if type(child) is tuple:
            out += [one for one in child if _IS_NODE[type(one)]]
        elif _IS_NODE[type(child)]:
            out.append(child)
    return out


def nodes(root: object) -> Iterator[Any]:
    """A node, or those of a tuple, with all nodes below, in the order of the source; of a missing body there are none.

    Types are no nodes: a struct may contain pointers to itself, so that a walk through them has no end.
    """
    waiting = [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        if type(node) is not tuple:
            yield node
        below = children(node)
        if below:
            below.reverse()
            waiting += below


def nodes_of(function: tree.FunctionSymbol) -> tuple[Any, ...]:
    """The nodes of a function's body, found once for all that ask; of one without body there are none."""
    known = _KNOWN.get(function)
    if known is None or known[0] is not function.body:
        known = _KNOWN[function] = (function.body, tuple(nodes(function.body)))
    return known[1]


def nodes_reached(function: tree.FunctionSymbol, launches: bool) -> Iterator[Any]:
    """The nodes of a function, of all that it calls and, with ``launches``, of its tasks; None for one without body."""
    ways = tree.Call | tree.Launch if launches else tree.Call
    seen = {function}
    waiting = [function]
    while waiting:
        here = waiting.pop()
        if here.body is None:
            yield None
        for node in nodes_of(here):
            yield node
            if isinstance(node, ways):
                other = node.function
                if isinstance(other, tree.FunctionSymbol) and other not in seen:
                    seen.add(other)
                    waiting.append(other)


_KNOWN: WeakKeyDictionary[tree.FunctionSymbol, tuple[tree.Block | None, tuple[Any, ...]]] = WeakKeyDictionary()
"""By the object: what is known of a function goes when its symbol does."""
_PARENTS = (tree.Value, tree.Place, tree.Statement, tree.Aggregate, tree.LaneList, tree.ForeachDimension)


class _IsNode(dict[type, bool]):
    """Whether objects of a class are nodes, found once for each: to look for it among the bases takes several times as long."""

    def __missing__(self, kind: type) -> bool:
        found = self[kind] = issubclass(kind, _PARENTS)
        return found


_IS_NODE = _IsNode()


def is_node(value: object) -> bool:
    """Whether it is a node of the typed tree."""
    return _IS_NODE[type(value)]


def changed_children(node: Any, change: Callable[[Any], Any]) -> dict[str, object]:
    """The fields of a node with nodes that ``change`` makes others of; what it gives back as it was is left out."""
    changes: dict[str, object] = {}
    for name in _fields(type(node)):
        old = getattr(node, name)
        if is_node(old):
            new = change(old)
        elif type(old) is tuple:
            new = tuple([change(each) if is_node(each) else each for each in old])
            new = old if all(before is behind for before, behind in zip(old, new)) else new
        else:
            continue
        if new is not old:
            changes[name] = new
    return changes


_FIELDS: dict[type, tuple[str, ...]] = {}
_WITHOUT_NODES = frozenset(("span", "type", "storage", "symbol", "address_rate"))


def _fields(kind: type) -> tuple[str, ...]:
    """The fields that may hold nodes, found once for a kind of node."""
    known = _FIELDS[kind] = tuple(name for name in kind.__match_args__ if name not in _WITHOUT_NODES)  # type: ignore[attr-defined]
    return known
