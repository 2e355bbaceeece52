"""Tiles of a matrix in registers (AMX): their state and what ``sema/builtins/tiles.py`` does with them.

After the description of TMUL in Intel's Architecture Instruction Set Extensions manual.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.sema.builtins import TILES

_ROWS, _ROW_BYTES = 16, 64
"""Of the largest tile that the hardware (AMX, palette 1) can be configured for."""
_LEAST_NORMAL = 2.0**-126
"""Of float: sums of products that are smaller become 0, as the hardware has it."""

Array = npt.NDArray[Any]


@dataclass
class Tiles:
    """Eight tiles of up to 16 rows of 64 bytes; without a configuration they have no rows."""

    configuration: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(64, np.uint8))
    contents: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros((TILES, _ROWS, _ROW_BYTES), np.uint8))

    def configure(self, bytes: npt.NDArray[np.uint8]) -> None:
        """Take the 64 bytes of a configuration; all tiles are zero then."""
        self.configuration = bytes.copy()
        self.contents[:] = 0

    def shape(self, tile: int) -> tuple[int, int]:
        """Rows, and bytes in a row."""
        return int(self.configuration[48 + tile]), int(self.configuration[16:48].view(np.uint16)[tile])

    def add_product(self, name: str, target: int, a: int, b: int) -> None:
        """``target`` gets the product of ``a`` and ``b`` added, by the instruction of the builtin ``name``."""
        rows, row_bytes = self.shape(target)
        inner = self.shape(a)[1] // 4
        columns = row_bytes // 4
        first, second = self.contents[a, :rows, : 4 * inner], self.contents[b, :inner, : 4 * columns]
        words = self.contents[target, :rows, :row_bytes]
        made: Array
        if name.startswith("dpb") and name.endswith("d"):
            signs = [np.int8 if sign == "s" else np.uint8 for sign in name[3:5]]
            left = first.view(signs[0]).astype(np.int64).reshape(rows, inner, 4)
            right = second.view(signs[1]).astype(np.int64).reshape(inner, columns, 4)
            sums = words.copy().view(np.int32) + np.einsum("mki,kni->mn", left, right)
            made = sums.astype(np.uint64).astype(np.uint32)
        else:
            left, right = (_floats(half.copy(), name).reshape(*half.shape[:1], -1, 2) for half in (first, second))
            partial = np.zeros((rows, columns, 2), np.float32)
            for step in range(inner):
                partial = _flushed(partial + left[:, step, None, :].astype(np.float64) * right[step][None].astype(np.float64))
            made = _flushed(words.copy().view(np.float32) + _flushed(partial[..., 0] + partial[..., 1]))
        self.contents[target] = 0
        self.contents[target, :rows, :row_bytes] = made.view(np.uint8)


def _floats(halves: npt.NDArray[np.uint8], name: str) -> Array:
    if name == "dpfp16ps":
        return halves.view(np.float16).astype(np.float32)
    return _flushed((halves.view(np.uint16).astype(np.uint32) << 16).view(np.float32))


def _flushed(values: Array) -> Array:
    """To float32, subnormals to zero."""
    rounded = values.astype(np.float32)
    return np.where(np.abs(rounded) < _LEAST_NORMAL, np.copysign(np.float32(0), rounded), rounded).astype(np.float32)
