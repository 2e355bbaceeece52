"""The nodes below a node of the typed tree, for analyses that look at every node alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from voltac.sema import tree


def children(node: object) -> list[object]:
    """The nodes directly below a node, in the order of the source."""
    if isinstance(node, tuple):
        return [child for child in node if isinstance(child, _PARENTS)]
    kind = type(node)
    out: list[object] = []
    fields = _FIELDS.get(kind)
    for name in _fields(kind) if fields is None else fields:
        child = getattr(node, name)
        if isinstance(child, tuple):
            out += [one for one in child if isinstance(one, _PARENTS)]
        elif isinstance(child, _PARENTS):
            out.append(child)
    return out


def nodes(root: object) -> Iterator[Any]:
    """A node, or those of a tuple, with all nodes below, in the order of the source; of a missing body there are none.

    Types are no nodes: a struct may contain pointers to itself, so that a walk through them has no end.
    """
    waiting = [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, tuple):
            yield node
        below = children(node)
        if below:
            below.reverse()
            waiting += below


def nodes_reached(body: tree.Statement | None, launches: bool) -> Iterator[Any]:
    """The nodes of a body, of all functions that it calls and, with ``launches``, of its tasks; None for one without body."""
    ways = tree.Call | tree.Launch if launches else tree.Call
    seen: set[tree.FunctionSymbol] = set()
    waiting = [body]
    while waiting:
        here = waiting.pop()
        if here is None:
            yield None
        for node in nodes(here):
            yield node
            if isinstance(node, ways):
                function = node.function
                if isinstance(function, tree.FunctionSymbol) and function not in seen:
                    seen.add(function)
                    waiting.append(function.body)


_PARENTS = (tree.Value, tree.Place, tree.Statement, tree.Aggregate, tree.LaneList, tree.ForeachDimension)
_FIELDS: dict[type, tuple[str, ...]] = {}
_WITHOUT_NODES = frozenset(("span", "type", "storage", "symbol", "address_rate"))


def _fields(kind: type) -> tuple[str, ...]:
    """The fields that may hold nodes, found once for a kind of node."""
    known = _FIELDS[kind] = tuple(name for name in kind.__match_args__ if name not in _WITHOUT_NODES)  # type: ignore[attr-defined]
    return known
