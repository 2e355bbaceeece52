"""Two parameters of a test: every value of each in the ordinary suite, every pair in the long one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def some_pairs(first: Iterable[Any], second: Iterable[Any], one_of: int = 2) -> list[Any]:
    """Parameters for ``pytest.mark.parametrize``: pairs of which every ``one_of``-th, along the diagonals, is always run."""
    found = []
    for (row, one), (column, other) in product(enumerate(first), enumerate(second)):
        marks = () if (row + column) % one_of == 0 else (pytest.mark.long,)
        found.append(pytest.param(one, other, marks=marks))
    return found
