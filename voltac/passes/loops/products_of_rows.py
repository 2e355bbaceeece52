"""Products of floats that rows of a loop have in common.

LLVM fuses a product with what it is added to where nothing else uses it. Two rows that add the same product, ``w * b[y]`` as
the middle of one and as the upper neighbour of the other, would use it both if they were computed side by side, so that each
was rounded once more than where a row is computed by itself. So products are compared as what they are computed by. Those of
whose factors that is not known for certain, as of constants that LLVM has yet to fold, count as common.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.match import scalar_of_splat
from voltac.ir.model import Instruction
from voltac.ir.parts import Operand
from voltac.passes.accesses.access import pseudo_operation
from voltac.passes.loops.place_sums import PlaceSums

_UNKNOWN = -1
"""In place of the number of a value: what it is computed by is not known."""


class ProductsOfRows:
    """What values are computed by, as numbers that are equal for equal values of any row."""

    def __init__(self, sums: PlaceSums, place: Callable[[Instruction, int], tuple[object, ...]]) -> None:
        self.sums = sums
        self.definitions = sums.values.definitions
        self.place = place
        """Of what lanes load."""
        self._numbers: dict[object, int] = {}
        self._known: dict[tuple[str, int], int] = {}

    def are_apart(self, body: list[Instruction], rows: int) -> bool:
        """Whether no two rows compute the same product that may be fused."""
        products = [each for each in body if each.op == "fmul" and "contract" in each.parts.flags]
        seen: set[int] = set()
        for row in range(rows):
            found = {self._number(Operand(each.type, each.name), row) for each in products}
            if _UNKNOWN in found or not seen.isdisjoint(found):
                return False
            seen |= found
        return True

    def _number(self, operand: Operand, row: int) -> int:
        if operand.value[0] != "%":
            return self._of((operand.type, operand.value))
        key = (operand.value, row)
        if key not in self._known:
            self._known[key] = self._made(operand, row)
        return self._known[key]

    def _of(self, formula: object) -> int:
        return self._numbers.setdefault(formula, len(self._numbers))

    def _made(self, operand: Operand, row: int) -> int:
        scalar = scalar_of_splat(operand.value, self.definitions)
        if scalar is not None:
            return self._number(scalar, row)
        made = self.definitions.get(operand.value)
        if made is None or made.op == "phi":
            return self._of((operand.value, row if operand.value in self.sums.by_row else 0))
        if pseudo_operation(made) == "gather":
            return self._of(self.place(made, row))
        if all(each.value[0] != "%" for each in made.operands):
            return _UNKNOWN
        if made.op == "load":
            place = self.sums.of_pointer(made.operands[0], row)
            if any(self._may_be_folded(name) for names in place for name in names):
                return _UNKNOWN
            return self._of((made.type, frozenset(place.items())))
        parts = [self._number(each, row) for each in made.operands]
        if _UNKNOWN in parts:
            return _UNKNOWN
        if made.op in ("fmul", "fadd"):
            parts.sort()
        return self._of((made.op, made.type, made.parts.predicate if "cmp" in made.op else made.parts.callee, *parts))

    def _may_be_folded(self, name: str) -> bool:
        """Whether it is computed in the function: of constants perhaps."""
        made = self.definitions.get(name.partition(" ")[0])
        return made is not None and made.op not in ("phi", "load")
