"""What the form of the stepper begins with: arguments for a function from its signature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voltac.lower.analyses.aliasing import memory_effects
from voltac.python.describe import signature
from voltac.python.lengths import value_of
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import Pointer, Scalar

Row = dict[str, Any]
"""An object of JSON."""

_FLOAT = "2.5"
"""Any number that changes what it is multiplied with, and is short."""
_GANGS = 2
"""What a program touches that has no counts: its gang's elements, and their neighbours."""
_SMALL_COUNT = 2
"""Of an integer that bounds no array: of iterations, say."""


def parameters_of(function: tree.FunctionSymbol, layout: Layout) -> list[Row]:
    """Name, type and the word that stands for a value: an array is a ramp, or zeros where it is only written."""
    effects = memory_effects(function)
    counts = {factor for one in signature(function, layout).needed for _, factors in one.index for factor in factors}
    rows = []
    for number, (symbol, default) in enumerate(zip(function.parameters, _defaults(function), strict=True)):
        if isinstance(symbol.type.type, Pointer):
            word = "range" if symbol in effects.read or symbol not in effects.written else "zeros"
        elif isinstance(default, tree.Constant):
            word = str(default.value).lower()
        else:
            word = _number(symbol, number in counts, layout.width)
        kind = "array" if isinstance(symbol.type.type, Pointer) else "number"
        rows.append({"name": symbol.name, "type": str(symbol.type), "kind": kind, "word": word})
    return rows


def _defaults(function: tree.FunctionSymbol) -> Sequence[tree.Value | None]:
    return [*function.defaults, *[None] * (len(function.parameters) - len(function.defaults))]


def _number(symbol: tree.VariableSymbol, is_count: bool, width: int) -> str:
    match symbol.type.type:
        case Scalar("bool", _):
            return "true"
        case Scalar("float", _):
            return _FLOAT
    # A whole gang, and a rest under a mask.
    return str(width + max(1, width // 2) if is_count else _SMALL_COUNT)


def array_length(function: tree.FunctionSymbol, number: int, numbers: dict[int, int], layout: Layout) -> int:
    """How many elements array ``number`` needs for these integer arguments.

    Where nobody knows: as many as the largest of them, and enough for some gangs.
    """
    needed = [
        value_of(one.index, numbers) + 1
        for one in signature(function, layout).needed
        if one.parameter == number and one.below_end and all(value_of(extent, numbers) > 0 for extent in one.extents)
    ]
    length: int = max(1, *needed) if needed else max([_GANGS * layout.width, *numbers.values()])
    return length
