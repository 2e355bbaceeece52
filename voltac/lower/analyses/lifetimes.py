"""Which variables nobody reads once a loop is over.

Lanes that leave a loop early never come back to it, so what happens to such a
variable in their lanes does not matter: assignments in the loop's body need no
``select``. That holds if the variable is declared in the iteration of the
surrounding loop (or function) that contains the loop, and not mentioned behind it.
"""

from __future__ import annotations

from voltac.sema import tree
from voltac.sema.tree_walk import children

_LOOPS = (tree.Loop, tree.Foreach, tree.ForeachActive, tree.ForeachUnique)


class Lifetimes:
    """Found in one walk over a function's body, in the order of the source."""

    def __init__(self, symbol: tree.FunctionSymbol, body: tree.Block) -> None:
        self._declared_in: dict[tree.VariableSymbol, int] = dict.fromkeys(symbol.parameters, 0)
        self._last_mention: dict[tree.VariableSymbol, int] = {}
        self._mentioned_in: dict[int, set[tree.VariableSymbol]] = {}
        self._end: dict[int, int] = {}
        self._parent: dict[int, int] = {}
        self._position = 0
        self._walk(body, 0)

    def _walk(self, node: object, loop: int) -> None:
        """Not by ``nodes``, which doesn't tell where a loop ends."""
        self._position += 1
        match node:
            case tree.Variable(_, _, _, symbol):
                self._last_mention[symbol] = self._position
                self._mentioned_in.setdefault(loop, set()).add(symbol)
                return
            case tree.Declare(_, symbol, _):
                self._declared_in[symbol] = loop
        inner = loop
        if isinstance(node, _LOOPS):
            inner = id(node)
            self._parent[inner] = loop
        for child in children(node):
            self._walk(child, inner)
        if inner != loop:
            self._end[inner] = self._position

    def dead_after(self, loop: tree.Loop) -> list[tree.VariableSymbol]:
        """Variables of the surroundings that are used in the loop's body and never again."""
        number = id(loop)
        parent, end = self._parent[number], self._end[number]
        return [
            symbol
            for symbol in self._mentioned_in.get(number, ())
            if self._declared_in.get(symbol) == parent and self._last_mention[symbol] <= end and not symbol.address_taken
        ]
