"""``for`` statements with a counter of their own, which nothing but the step writes.

Their counter may get another rate (:mod:`.uniform_counters`, :mod:`.varying_counters`), or they are a ``foreach``
(:mod:`.gang_strides`).
"""

from __future__ import annotations

from typing import Any

from voltac.records import record
from voltac.sema import tree
from voltac.sema.analyses.effects import root_of, writes
from voltac.sema.tree_walk import children, nodes
from voltac.sema.types import Rate

_LEAVES = tree.Return | tree.Goto | tree.Label
_INNER = (tree.Loop, tree.Switch, tree.Foreach, tree.ForeachActive, tree.ForeachUnique)
"""A ``break`` in one of them leaves that."""


@record
class CountedFor:
    """Such a statement."""

    declared: tree.Declare
    loop: tree.Loop
    below: list[Any]
    """All nodes of the body."""
    written: set[tree.VariableSymbol]
    """Variables that the body writes by name."""
    breaks: bool
    """A ``break`` leaves the loop."""

    @property
    def symbol(self) -> tree.VariableSymbol:
        """The counter."""
        return self.declared.symbol


def counted_for(node: tree.Block, rate: Rate) -> CountedFor | None:
    """The block of a ``for`` whose counter has that rate, out of whose body only its end, ``break`` and ``continue`` lead."""
    if len(node.statements) != 2:
        return None
    declared, loop = node.statements
    if not isinstance(declared, tree.Declare) or not isinstance(loop, tree.Loop) or not loop.test_first:
        return None
    symbol = declared.symbol
    if symbol.kind != "local" or symbol.address_taken or symbol.type.rate is not rate:
        return None
    below = list(nodes(loop.body))
    written = {place.symbol for each in below if writes(each) and isinstance(place := root_of(each.place), tree.Variable)}
    if symbol in written or any(isinstance(each, _LEAVES) for each in below):
        return None
    return CountedFor(declared, loop, below, written, _breaks(loop.body))


def _breaks(node: object) -> bool:
    if isinstance(node, tree.Break):
        return True
    return not isinstance(node, _INNER) and any(isinstance(each, tree.Statement) and _breaks(each) for each in children(node))
