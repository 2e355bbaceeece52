"""``foreach_tiled`` whose iterations go row by row as well as tile by tile.

::

    foreach_tiled (y = c ... d, x = a ... b) body     ->   foreach (y = c ... d, x = a ... b) body

A tile's access is one of half or a quarter of a register for each of its rows, and what one row needs once is computed in all
lanes. Tiles gain where near lanes take the same way: loops that lanes leave one by one, coherent statements.

Which lane does an iteration, and which is first, can be seen (language 9.5); so it is done only where no iteration needs what
another does (``sema/analyses/independence.py``), and nothing in the body tells lanes apart.
"""

from __future__ import annotations

from math import ceil, prod

from voltac.lower.analyses.lane_visibility import shows_lanes
from voltac.sema import tree
from voltac.sema.analyses.effects import unchanged_variables
from voltac.sema.analyses.independence import why_dependent
from voltac.sema.tree_walk import nodes, nodes_reached
from voltac.sema.types import VARYING

_OF_GROUPS = (tree.ForeachActive, tree.ForeachUnique, tree.Break, tree.Switch)
"""Statements that run for as many groups of lanes as there are, or end when the last lane does."""


def goes_by_rows(node: tree.Foreach, function: tree.FunctionSymbol, spans: list[int], width: int) -> bool:
    """Whether a ``foreach_tiled`` of tiles of ``spans`` lanes is to be lowered as a plain ``foreach``."""
    if _has_short_rows(node.dimensions[-1], spans, width) or any(_lanes_part(each) for each in nodes(node.body)):
        return False
    return not shows_lanes(node) and why_dependent(node, unchanged_variables(function)) is None


def _has_short_rows(dimension: tree.ForeachDimension, spans: list[int], width: int) -> bool:
    """Whether rows are known to be so short that gangs along them would do more than tiles do."""
    first, last = dimension.first, dimension.last
    if not (isinstance(first, tree.Constant) and isinstance(last, tree.Constant)):
        return False
    count = last.value - first.value
    return ceil(count / width) * prod(spans[:-1]) > ceil(count / spans[-1])


def _lanes_part(node: object) -> bool:
    """Whether lanes may take ways of different lengths there, in a function that is called, too."""
    if isinstance(node, tree.Call) and not node.function.library:
        return any(each is None or _parts(each) for each in nodes_reached(node.function, launches=False))
    return _parts(node)


def _parts(node: object) -> bool:
    if isinstance(node, tree.Loop):
        return node.coherent or (node.test is not None and node.test.type.rate is VARYING)
    return isinstance(node, _OF_GROUPS) or (isinstance(node, tree.If) and node.coherent)
