"""Kernels of images, matrices and sums against the same in C, vectorised by clang and gcc; options as shapes_against_c.py.

python benchmarks/kernels_against_c.py [--rounds N] [--only NAME,...] [--targets T,...] [--options=OPTIONS] [--strict]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from contenders import Arrays
from shapes_against_c import compare, floats, integers, written

MOST = 300
"""Of the integers that are read, where their type has them."""


def _numbers(dtype: type, count: int) -> np.ndarray:
    if dtype is np.float32:
        return floats(count)
    limits = np.iinfo(dtype)
    return integers(count, max(limits.min, -MOST), min(limits.max, MOST) + 1, dtype)


def _row(to: type, of: type, sizes: tuple[int, int, int], n: int, m: int) -> Callable[[], Arrays]:
    return lambda: (written(to, sizes[0]), _numbers(of, sizes[1]), _numbers(of, sizes[2]), n, m)


def _bits(count: int) -> np.ndarray:
    return _numbers(np.uint8, count) & 1


# Kernel -> its arrays, n and m.
ROWS: dict[str, Callable[[], Arrays]] = {
    "matrix_product": _row(np.float32, np.float32, (96 * 96,) * 3, 96, 0),
    "filter": _row(np.float32, np.float32, (4096, 4096 + 16, 16), 4093, 16),
    "convolution": _row(np.float32, np.float32, (131 * 37, 131 * 37, 9), 131, 37),
    "shortest_ways": _row(np.float32, np.float32, (80 * 80, 80 * 80, 1), 80, 0),
    "median": _row(np.uint8, np.uint8, (4096, 4096, 1), 4093, 0),
    "sobel": _row(np.uint8, np.uint8, (131 * 37, 131 * 37, 1), 131, 37),
    "life": lambda: (_bits(131 * 37), _bits(131 * 37), _bits(131 * 37), 131, 37),
    "grey": _row(np.uint8, np.uint8, (4096, 4 * 4096, 1), 4093, 0),
    "blend": _row(np.uint8, np.uint8, (4096, 2 * 4096, 4096), 4093, 0),
    "dot_int16": _row(np.int32, np.int16, (16, 4096, 4096), 4093, 0),
    "distance": _row(np.int32, np.uint8, (16, 4096, 4096), 4093, 0),
    "greatest": _row(np.int8, np.int8, (64, 4096, 1), 4093, 0),
    "compaction": _row(np.int32, np.int32, (4096 + 16, 4096, 1), 4093, 0),
}


if __name__ == "__main__":
    compare(ROWS, "against_c", __doc__)
