"""Parameters of tests of which the ordinary suite runs some and the long one all."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def some_pairs(first: Iterable[Any], second: Iterable[Any], one_of: int = 2) -> list[Any]:
    """Parameters for ``pytest.mark.parametrize``: pairs of which every ``one_of``-th, along the diagonals, is always run.

    Every value of each is in one of these if there are as many as ``one_of`` of both.
    """
    found = []
    for (row, one), (column, other) in product(enumerate(first), enumerate(second)):
        marks = () if (row + column) % one_of == 0 else (pytest.mark.long,)
        found.append(pytest.param(one, other, marks=marks))
    return found


def some_of(values: Iterable[Any], one_of: int = 2) -> list[Any]:
    """Values of one parameter of which every ``one_of``-th is always run."""
    return [pytest.param(value, marks=() if at % one_of == 0 else (pytest.mark.long,)) for at, value in enumerate(values)]


def some_seeds(always: int, all: int) -> list[Any]:
    """Values of a parameter that is a range of seeds: the first, and in the long suite the others."""
    return [
        pytest.param(range(always), id="some"),
        pytest.param(range(always, all), id="others", marks=pytest.mark.long),
    ]
