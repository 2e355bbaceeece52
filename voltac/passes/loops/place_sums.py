"""Places of lanes as sums of products, in which the same place is the same sum however it is written.

    (y + 1) * n + x - n    =    y * n + x    =    {(x): 1, (n, y): 1}

What makes sums and products carries ``nsw``, so that they are those of whole numbers. Unlike :mod:`voltac.ir.lane_formulas`,
which keeps a product of two scalars as it is, this tells what one row of an image has to do with the next.
"""

from __future__ import annotations

from voltac.ir.constants import integers
from voltac.ir.lane_values import LaneValues
from voltac.ir.match import scalar_of_splat
from voltac.ir.parts import Operand

Sum = dict[tuple[str, ...], int]
"""Names that are multiplied, in order -> how often their product is added. The empty product is 1."""
_MOST_TERMS = 16
"""Of a product that is written out."""


class PlaceSums:
    """Sums for rows of a loop that counts ``counter`` by ``step``; row 0 is the one that it counts.

    What is in ``by_row``, and no sum, is another number in each row, so that its name has the row's number behind it.
    """

    def __init__(self, values: LaneValues, counter: str, step: int, by_row: set[str]) -> None:
        self.values = values
        self.counter = counter
        self.step = step
        self.by_row = by_row
        self._known: dict[tuple[str, int], Sum] = {}

    def of(self, operand: Operand, row: int) -> Sum:
        """Of integers. Treat as immutable."""
        value = operand.value
        if value[0] != "%":
            numbers = integers(operand.type, value)
            if not numbers or len(set(numbers)) != 1:
                return {(value,): 1}
            return {(): numbers[0]} if numbers[0] else {}
        key = (value, row)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._made(operand, row)
        return found

    def of_pointer(self, operand: Operand, row: int) -> Sum:
        """Of pointers, in bytes."""
        made = self.values.definitions.get(operand.value)
        if made is None or made.op != "getelementptr" or len(made.operands) != 2:
            scalar = scalar_of_splat(operand.value, self.values.definitions) if operand.value[0] == "%" else None
            return self._leaf(operand, row) if scalar is None else self.of_pointer(scalar, row)
        base, index = made.operands
        size = self.values.layout.size(made.parts.element_type)
        return _added(self.of_pointer(base, row), self.of(index, row), size)

    def _leaf(self, operand: Operand, row: int) -> Sum:
        return {(f"{operand.value} {row}" if operand.value in self.by_row else operand.value,): 1}

    def _made(self, operand: Operand, row: int) -> Sum:
        if operand.value == self.counter:
            return _added({(self.counter,): 1}, {(): self.step * row} if row else {}, 1)
        scalar = scalar_of_splat(operand.value, self.values.definitions)
        if scalar is not None:
            return self.of(scalar, row)
        made = self.values.definitions.get(operand.value)
        if made is not None and made.op == "sext":
            return self.of(made.operands[0], row)
        if made is None or made.op not in ("add", "sub", "mul") or "nsw" not in made.parts.flags:
            return self._leaf(operand, row)
        one, other = (self.of(each, row) for each in made.operands)
        if made.op != "mul":
            return _added(one, other, 1 if made.op == "add" else -1)
        if len(one) * len(other) > _MOST_TERMS:
            return self._leaf(operand, row)
        product: Sum = {}
        for names, factor in one.items():
            part = {tuple(sorted((*names, *more))): factor * often for more, often in other.items()}
            product = _added(product, part, 1)
        return product


def _added(one: Sum, other: Sum, times: int) -> Sum:
    total = dict(one)
    for names, factor in other.items():
        total[names] = total.get(names, 0) + factor * times
    return {names: factor for names, factor in total.items() if factor}


def difference(one: Sum, other: Sum) -> Sum:
    """What is to be added to ``other`` for ``one``."""
    return _added(one, other, -1)
