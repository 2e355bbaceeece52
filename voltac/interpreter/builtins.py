"""What the meanings of builtins (``sema/builtins/``) are given: the gang that executes them, on numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from voltac.target_info import TargetInfo

from . import arithmetic
from .memory import ProgramMemory
from .tiles import Tiles
from .values import Mask, Value


@dataclass(frozen=True, slots=True)
class InterpretedGang:
    """Who executes a builtin, the dtype of its result (None for void), the memory it may touch, the machine it stands for."""

    active: Mask
    width: int
    result: np.dtype[Any] | None
    memory: ProgramMemory
    target: TargetInfo

    @property
    def np(self) -> Any:
        """For the meanings: they do not import it."""
        return np

    @property
    def tiles(self) -> Tiles:
        """Of the program's one thread."""
        return self.memory.tiles

    @property
    def has_random_bits(self) -> bool:
        """Whether ``rdrand`` and its like are there."""
        return self.target.has_rand

    @property
    def has_fused_products(self) -> bool:
        """Whether there is an instruction that multiplies and adds."""
        return self.target.has_fma

    def fused_multiply_add(self, a: Value, b: Value, c: Value) -> Value:
        """``a * b + c``, rounded once."""
        return arithmetic.fused_multiply_add(a, b, c)
