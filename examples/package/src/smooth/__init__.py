"""Rows of numbers, smoothed."""

import numpy as np
from numpy.typing import NDArray

from smooth import kernels

__all__ = ["smoothed"]


def smoothed(row: NDArray[np.float32], times: int = 1) -> NDArray[np.float32]:
    """The row, each point replaced so many times by the mean of it and its neighbours."""
    row = np.array(row, np.float32)
    result = np.empty_like(row)
    for _ in range(times):
        kernels.smooth(row, result)
        row, result = result, row
    return row
