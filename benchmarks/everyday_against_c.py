"""Kernels as one meets them, over every shape of loop, against the same in C by clang and gcc; options as shapes_against_c.py.

python benchmarks/everyday_against_c.py [--rounds N] [--only NAME,...] [--targets T,...] [--options=OPTIONS] [--strict]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contenders import Arrays
from shapes_against_c import COUNT, compare, floats, integers, written


def _floats(count: int, m: int = 0, elements: int = 0) -> Callable[[], Arrays]:
    size = elements or count + 64
    return lambda: (written(np.float32, size), floats(size), floats(size), count, m)


def _integers(count: int, low: int = 0, high: int = 1 << 20) -> Callable[[], Arrays]:
    return lambda: (written(np.int32), integers(), integers(low=low, high=high), count, 0)


def _doubles(count: int, m: int = 0, elements: int = COUNT) -> Callable[[], Arrays]:
    return lambda: (written(np.float64, elements), _double(elements), _double(elements), count, m)


def _double(count: int) -> np.ndarray:
    return floats(count).astype(np.float64)


def _small(dtype: type, count: int, low: int, high: int, elements: int = 0) -> Callable[[], Arrays]:
    size = elements or count + 64
    return lambda: (written(dtype, size), integers(size, low, high, dtype), integers(size, low, high, dtype), count, 0)


# Kernel -> its arrays, n and m.
ROWS: dict[str, Callable[[], Arrays]] = {
    "clamp_inplace": _floats(COUNT),
    "blur_bytes": _small(np.uint8, COUNT, 0, 256),
    "box5": _floats(131, 37, 131 * 37),
    "jacobi": _floats(131, 37, 131 * 37),
    "rgb3": _small(np.uint8, 1365, 0, 256, 8192),
    "nbody": _floats(253, 0, 1024),
    "spheres": _floats(509, 20),
    "oddeven": _integers(4000),
    "ell": lambda: (written(np.float32), integers(high=4000), floats(), 250, 16),
    "noise1": _floats(COUNT),
    "matvec": _floats(93, 43, 4096),
    "matvec_t": _floats(93, 43, 4096),
    "lcg": lambda: (written(np.float32), integers(dtype=np.uint32), integers(), 509, 40),
    "running_max": _integers(COUNT),
    "count_above": lambda: (written(np.int32), floats(), floats(), COUNT, 0),
    "argmin": lambda: (written(np.int32), floats(), floats(), COUNT, 0),
    "lower": _small(np.uint8, COUNT, 0, 256),
    "lower_inplace": _small(np.uint8, 131, 0, 256, 8192),
    "count_letter": lambda: (written(np.int32), integers(high=256, dtype=np.uint8), integers(), COUNT, 0),
    "xor_bytes": _small(np.uint8, COUNT, 0, 256),
    "normalise4": _floats(1000, 0, 4096),
    "aos3": _floats(1300, 0, 4096),
    "every_fourth": _floats(1000, 0, 4096),
    "reverse": _floats(COUNT),
    "int16_add_sat": _small(np.int16, COUNT, -30000, 30000),
    "transpose64": _doubles(93, 85, 93 * 85),
    "isqrt_int": _integers(2045),
    "binary_search": lambda: (written(np.int32), integers(), np.sort(integers(1100)), 2045, 0),
    "popcounts": _integers(COUNT),
    "daxpy": _doubles(2045),
    "int_div": _integers(2045),
    "mod7": _integers(COUNT),
}


if __name__ == "__main__":
    compare(ROWS, "everyday", __doc__)
