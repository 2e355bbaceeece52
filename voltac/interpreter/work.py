"""What a call has to do at least, however it is compiled: floating-point operations, and bytes of the caller's arrays.

Counted by running the call: additions, subtractions, multiplications and divisions of lanes that are on, those of the
library's functions too, a fused multiply-add as two; of the arrays each byte once that is read, and once that is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from voltac.options import Options
from voltac.sema import tree

from .interpreter import ARRAY_ARGUMENT, Interpreter
from .memory import MemoryObject


@dataclass(frozen=True, slots=True)
class Work:
    """Of one call."""

    operations: int
    """Floating-point operations."""
    read: int
    """Bytes."""
    written: int
    """Bytes."""


def work_of(program: tree.Program, options: Options, function: str, arguments: Sequence[Any]) -> Work:
    """Run an exported function on arguments, whose arrays are written, and count.

    Raises :class:`InterpreterError` for what is undefined and ProgramAborted for a failed assertion.
    """
    counter = _Counter()
    interpreter = Interpreter(program, options, output=lambda text: None)
    interpreter.machine.computed = counter.computed
    interpreter.machine.memory.touched = counter.touched
    interpreter.call(function, arguments)
    read, written = (sum(int(seen.sum()) for seen in arrays.values()) for arrays in (counter.read, counter.written))
    return Work(counter.operations, read, written)


class _Counter:
    def __init__(self) -> None:
        self.operations = 0
        self.read: dict[int, npt.NDArray[np.bool_]] = {}
        self.written: dict[int, npt.NDArray[np.bool_]] = {}
        """Address of an array -> which of its bytes were."""

    def computed(self, operations: int) -> None:
        self.operations += operations

    def touched(self, array: MemoryObject, start: int, size: int, write: bool) -> None:
        if array.name.startswith(ARRAY_ARGUMENT):
            seen = self.written if write else self.read
            if array.address not in seen:
                seen[array.address] = np.zeros(len(array.bytes), np.bool_)
            seen[array.address][start : start + size] = True
