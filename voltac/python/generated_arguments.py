"""Arguments made up for a kernel that is to be measured: arrays with room for stencils, counts that fit them."""

from __future__ import annotations

from typing import Any

import numpy as np

from voltac.python.building import Callee
from voltac.sema import tree
from voltac.sema.tree_walk import nodes

_MARGIN = 4096
"""Elements before and behind the part of an array that a kernel is given: room for stencils."""
_FILLED = 1 << 20
"""Elements, after which an array's numbers repeat: making numbers takes longer than the kernel."""
_PAGE, _APART = 4096, 17 * 64
"""Bytes of a page, and by how many arrays are shifted against each other in it: an odd number of lines of the cache."""


def range_parameters(symbol: tree.FunctionSymbol) -> list[str]:
    """The integer parameters that bound the loops: those that foreach ranges and loop tests read, else all."""
    integers = {parameter for parameter in symbol.parameters if str(parameter.type.type).removeprefix("unsigned ")[:3] == "int"}
    used: list[str] = []
    for node in nodes(symbol.body):
        bounds: list[Any] = []
        if isinstance(node, tree.Foreach):
            bounds = [dimension.last for dimension in node.dimensions]
        elif isinstance(node, tree.Loop) and node.test is not None and node.test.type.is_uniform:
            bounds = [node.test]
        for inner in nodes(tuple(bounds)):
            if isinstance(inner, tree.Variable) and inner.symbol in integers and inner.symbol.name not in used:
                used.append(inner.symbol.name)
    return used or [parameter.name for parameter in symbol.parameters if parameter in integers]


def generated_arguments(kernel: Callee, ranges: list[str], side: int, extra: int, spare: int = 4) -> list[Any]:
    """Arguments for up to ``side + extra`` elements in every range: floats from 0 to 1, small integers, zeroed structs.

    Arrays have ``spare`` times as many elements: a kernel may read several for each.
    """
    random = np.random.default_rng(1)
    room = spare * (side + extra) ** max(1, len(ranges)) + 2 * _MARGIN
    made: list[Any] = []
    for row in kernel.parameters:
        if row.kind == "pointer":
            dtype = kernel.dtype(row.name) if row.memory is not None and row.memory.format is not None else np.dtype(np.uint8)
            whole = _placed(room, dtype, len(made))
            if dtype.kind == "f":
                _fill(whole, random.random(min(room, _FILLED)))
            elif dtype.kind in "iu":
                _fill(whole, random.integers(0, 8, min(room, _FILLED)))
            count = row.memory.count if row.memory is not None else 1
            part = whole[_MARGIN:]
            part = part[: len(part) - len(part) % count]
            made.append(part.reshape(-1, *row.memory.shape) if row.memory is not None and row.memory.shape else part)
        elif row.kind in ("int", "uint"):
            made.append(side + extra if row.name in ranges else 8)
        else:
            made.append(0.5 if row.kind == "float" else True)
    return made


def _fill(array: Any, numbers: Any) -> None:
    """With the same numbers again and again."""
    for start in range(0, len(array), len(numbers)):
        array[start : start + len(numbers)] = numbers[: len(array) - start]


def _placed(count: int, dtype: Any, number: int) -> Any:
    """Zeros at the beginning of a line of the cache, for each array another one of a page: a processor takes a load for one
    of what was stored just now if only the page differs, and waits."""
    size = count * dtype.itemsize
    memory = np.zeros(size + 2 * _PAGE, np.uint8)
    start = -memory.__array_interface__["data"][0] % _PAGE + number * _APART % _PAGE
    return memory[start : start + size].view(dtype)
