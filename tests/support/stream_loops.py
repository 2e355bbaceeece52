"""Kernels that are one ``foreach`` over arrays, run on a tile at several lengths: results, and bundles of a word more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import voltac

Array = npt.NDArray[Any]
A, B = 0.75, -0.5
ONE_BANK_EACH = 3000
"""Elements that take more bytes than what the simulator places in region 0, beside the program."""
TYPES = {"float": "f4", "float16": "f2"}


@dataclass(frozen=True)
class StreamRow:
    """A kernel over arrays, and the bundles of a worker for a word more of the last."""

    name: str
    types: str
    """Of the arrays ``x y z``, the last is written."""
    body: str
    bundles: float
    expected: Callable[..., Array]
    """Of the arrays, each with four elements in front of the first and behind the last, and of a and b."""
    step: int = 1
    """Elements of an array for an iteration."""
    options: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> str:
        *_, last = self.types.split()
        arrays = ", ".join(f"uniform {type} {name}[]" for type, name in zip(self.types.split(), "xyz"))
        scalars = f"uniform {last} a, uniform {last} b, uniform int first, uniform int n"
        return f"export void k({arrays}, {scalars}) {{ foreach (i = first ... first + n) {self.body} }}"


def half(row: StreamRow) -> StreamRow:
    """The same of halves."""
    return replace(row, name=f"half {row.name}", types=row.types.replace("float", "float16"))


def loaded(row: StreamRow, target: str = "ipu-mk2", **options: Any) -> Any:
    return voltac.compile(row.source, target=target, **{**options, **dict(row.options)}).k


def run(row: StreamRow, kernel: Any, n: int, first: int = 4, scalars: tuple[float, float] = (A, B)) -> Any:
    """The report, the results checked."""
    random = np.random.default_rng(1)
    types = [TYPES[type] for type in row.types.split()]
    arrays = [random.standard_normal((first + n) * row.step + 7).astype(type) for type in types]
    a, b = (np.dtype(types[-1]).type(number) for number in scalars)
    expected = arrays[-1].copy()
    # Each iteration's element, with four neighbours on both sides.
    seen = [np.pad(array[first * row.step :: row.step][:n], 4) for array in arrays]
    if row.step == 1:
        seen = [np.pad(array, 4)[first : first + n + 8] for array in arrays]
    expected[first * row.step :: row.step][:n] = row.expected(*seen, a, b)
    kernel(*arrays, a, b, first, n)
    assert np.array_equal(arrays[-1], expected), f"{row.name} of {n}"
    assert kernel.last_run.conflicts == 0
    return kernel.last_run


def bundles_a_word(row: StreamRow, kernel: Any, n: int, first: int = 4, scalars: tuple[float, float] = (A, B)) -> float:
    """Of the worker that has most, for more words; a gang is two words of floats, or one of halves."""
    more = 24 * 20
    words = more * np.dtype(TYPES[row.types.split()[-1]]).itemsize // 8 / 6
    reports = [run(row, kernel, count, first, scalars) for count in (n + more, n)]
    return float((reports[0].bundles - reports[1].bundles) / words)
