"""What tests share of loops in which lanes have rows of their own: targets, types, and calls beside pages where nothing is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx2-i64x4", "avx512skx-x16", "neon-i32x4"]
USUAL_TARGETS = [target for target in TARGETS if not target.startswith(("avx512", "neon"))]
TYPES = {
    "int8": np.int8, "int16": np.int16, "int": np.int32, "int64": np.int64,
    "float16": np.float16, "float": np.float32, "double": np.float64,
}  # fmt: skip
OF_EACH_SIZE = ("int8", "int16", "float", "double")

every_size = pytest.mark.parametrize(("kind", "target"), some_pairs(OF_EACH_SIZE, USUAL_TARGETS, len(OF_EACH_SIZE)))
"""One type on each target; the long suite has all."""

Call = tuple[str, np.ndarray, np.ndarray, tuple[Any, ...], np.ndarray]
"""Name of the kernel; the array it writes and the one it reads; what else it is given; what the first must be then."""


def check_fenced(source: str, target: str, calls: Iterable[Call]) -> None:
    """Each call at both ends of memory: arrays begin, or end, where a page does, and the next one cannot be touched."""
    kernels = compile_kernels(source, target)
    if isinstance(kernels, InterpretedModule):
        pytest.skip(f"this processor does not run code for {target}")
    fenced = FencedCalls()
    for (kernel, written, read, others, wanted), at_end in product(calls, (True, False)):
        to, given = fenced.copies(written, read, at_end=at_end)
        fenced.add((kernel, others, at_end), partial(kernels[kernel], to, given, *others), (to, wanted))
    fenced.check()
