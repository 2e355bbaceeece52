"""Sums of floats that short loops carry on: where they are, and what the order of their additions costs.

The language fixes the order. So each iteration waits for the addition of the one before, while a processor could do several
at a time. A loop within a gang's work waits less: the processor begins the next gang's meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator

from voltac.messages.message import Span
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.tree_walk import nodes
from voltac.sema.types import VARYING, Scalar

_MOST_NODES = 60
"""Of a loop's body: in a longer one there is enough else to do meanwhile. Chosen, not measured: a sum of products has 12."""
ORDERED_SUM = (
    "sums of floats keep the order of the loop: each addition waits 3 to 4 cycles for the one before; two sums over halves of "
    "the range wait half as long, and with --opt=fast-math:aggressive several are kept"
)


def ordered_sums(function: tree.FunctionSymbol, options: Options) -> Iterator[Span]:
    """The places of ``sum += ...`` in short loops, of varying floats that are declared before the loop."""
    if options.fast_math == "aggressive":
        return
    within = {id(each) for loop in nodes(function.body) if isinstance(loop, tree.Foreach) for each in nodes(loop.body)}
    innermost: dict[int, tuple[tree.CompoundAssign, tree.Foreach | tree.Loop]] = {}
    for loop in nodes(function.body):
        if isinstance(loop, (tree.Foreach, tree.Loop)):
            for node in nodes(loop.body):
                if isinstance(node, tree.CompoundAssign) and _is_float_sum(node):
                    innermost[id(node)] = node, loop
    for node, loop in innermost.values():
        body = list(nodes(loop.body))
        own = {id(each.symbol) for each in body if isinstance(each, tree.Declare)}
        assert isinstance(node.place, tree.Variable)
        if id(loop) not in within and len(body) <= _MOST_NODES and id(node.place.symbol) not in own:
            yield node.span


def _is_float_sum(node: tree.CompoundAssign) -> bool:
    place = node.place
    if (
        node.operator not in ("+", "-")
        or not isinstance(place, tree.Variable)
        or place.symbol.kind not in ("local", "parameter")
    ):
        return False
    kind = place.symbol.type
    return kind.rate is VARYING and isinstance(kind.type, Scalar) and kind.type.kind == "float"
