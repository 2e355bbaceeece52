"""Exported functions that do the same whatever lanes are on, found on the typed tree: nothing has to be lowered to see it.

Those are uniform statements around ``foreach``, which turns all lanes on::

    export void scale(uniform float a[], uniform int n) {
        uniform float s = a[0] * 2;
        foreach (i = 0 ... n) a[i] *= s;
    }
"""

from __future__ import annotations

from collections.abc import Iterable

from voltac.sema import tree
from voltac.sema.tree_walk import children, nodes
from voltac.sema.types import VARYING

_UNIFORM = frozenset((
    tree.Block, tree.Declare, tree.Evaluate, tree.If, tree.Loop, tree.ForeachDimension,
    tree.Constant, tree.Load, tree.Convert, tree.Unary, tree.Binary, tree.PointerOffset, tree.Logical, tree.Conditional,
    tree.Assign, tree.CompoundAssign, tree.Increment, tree.Comma, tree.Aggregate,
    tree.Variable, tree.Deref, tree.Element, tree.MemberPlace,
))  # fmt: skip
"""Nodes that look at no mask where they are uniform."""
_ENDS_FUNCTION = (tree.Return, tree.Goto)


def never_reads_mask(symbol: tree.FunctionSymbol) -> bool:
    """Whether that is certain of a function with a body."""
    return not symbol.launches and all(_is_uniform(node) for node in _outside_of_foreach(symbol))


def _outside_of_foreach(symbol: tree.FunctionSymbol) -> Iterable[object]:
    waiting: list[object] = [symbol.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Foreach):
            waiting += node.dimensions
            if any(isinstance(inside, _ENDS_FUNCTION) for inside in nodes(node.body)):
                yield node
            continue
        yield node
        waiting += children(node)


def _is_uniform(node: object) -> bool:
    if type(node) not in _UNIFORM:
        return False
    if isinstance(node, tree.Value | tree.Place):
        return node.type.rate is not VARYING
    if isinstance(node, tree.Declare):
        return node.symbol.type.rate is not VARYING
    return not (isinstance(node, tree.If | tree.Loop) and node.coherent)
