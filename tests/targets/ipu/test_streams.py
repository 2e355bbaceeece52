"""Loops over streams: what they compute, at how many bundles a word of 64 bits, and that no bank is asked for twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import voltac
from voltac.targets.ipu.streams.program import StreamProgram, StreamStep, read_program

Array = npt.NDArray[Any]
A, B = np.float32(0.75), np.float32(-0.5)
HA, HB = np.float16(0.75), np.float16(-0.5)
ONE_BANK_EACH = 3000
"""Elements that take more bytes than what the simulator places in region 0, beside the program."""


@dataclass(frozen=True)
class Row:
    """A kernel over arrays of ``type``, and the bundles of a worker for a word more."""

    name: str
    body: str
    bundles: int
    arrays: int = 1
    type: str = "float"
    scalars: int = 0

    @property
    def source(self) -> str:
        arrays = ", ".join(f"uniform {self.type} {name}[]" for name in "xyz"[: self.arrays])
        scalars = "".join(f"uniform {self.type} {name}, " for name in "ab"[: self.scalars])
        return f"export void k({arrays}, {scalars}uniform int n) {{ foreach (i = 0 ... n) {self.body} }}"

    @property
    def given(self) -> list[Any]:
        return ([A, B] if self.type == "float" else [HA, HB])[: self.scalars]

    def expected(self, x: Array, y: Array) -> Array:
        a, b = (A, B) if self.type == "float" else (HA, HB)
        one = x.dtype.type
        results: dict[str, Array] = {
            "add scalar": x + a, "scale": x * a, "copy": x, "relu": np.maximum(x, one(0)), "x + y": x + y, "axpy": a * x + y,
            "clamp": np.minimum(np.maximum(x, b), a), "a*x + b": a * x + b, "b - x": b - x,
        }  # fmt: skip
        return results[self.name.removeprefix("half ")]


ROWS = [
    Row("add scalar", "x[i] += a;", 1, scalars=1),
    Row("scale", "x[i] *= a;", 1, scalars=1),
    Row("copy", "y[i] = x[i];", 1, arrays=2),
    Row("relu", "x[i] = max(x[i], 0.0f);", 1),
    Row("clamp", "x[i] = clamp(x[i], b, a);", 1, scalars=2),
    Row("a*x + b", "y[i] = a * x[i] + b;", 2, arrays=2, scalars=2),
    Row("x + y", "z[i] = x[i] + y[i];", 2, arrays=3),
    Row("axpy", "y[i] = a * x[i] + y[i];", 2, arrays=2, scalars=1),
    Row("b - x", "x[i] = b - x[i];", 1, scalars=2),
    Row("half add scalar", "x[i] += a;", 1, type="float16", scalars=1),
    Row("half scale", "x[i] *= a;", 1, type="float16", scalars=1),
    Row("half copy", "y[i] = x[i];", 1, arrays=2, type="float16"),
    Row("half x + y", "z[i] = x[i] + y[i];", 2, arrays=3, type="float16"),
]


def loaded(row: Row, target: str = "ipu-mk2", **options: Any) -> Any:
    return voltac.compile(row.source, target=target, **options).k


def run(row: Row, kernel: Any, n: int, seed: int = 1) -> Any:
    """The report, the results checked."""
    random = np.random.default_rng(seed)
    arrays = [random.standard_normal(n + 3).astype("f4" if row.type == "float" else "f2") for _ in range(row.arrays)]
    expected = arrays[-1].copy()
    expected[:n] = row.expected(arrays[0], arrays[1] if row.arrays > 1 else arrays[0])[:n]
    kernel(*arrays, *row.given, n)
    assert np.array_equal(arrays[-1], expected), f"{row.name} of {n}"
    assert kernel.last_run.conflicts == 0
    return kernel.last_run


def bundles_a_word(row: Row, kernel: Any, n: int) -> float:
    """Of the worker that has most, for more words; a gang is two words of floats, or one of halves."""
    more = 24 * 20
    words = more * (4 if row.type == "float" else 2) // 8 / 6
    return float((run(row, kernel, n + more).bundles - run(row, kernel, n).bundles) / words)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_word_takes_as_many_bundles_as_the_reference_says(row: Row) -> None:
    assert bundles_a_word(row, loaded(row), ONE_BANK_EACH) == row.bundles


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_count_is_right_where_banks_may_be_the_same(row: Row) -> None:
    # So few lie in region 0, one behind the other.
    kernel = loaded(row, "ipu-mk1")
    for n in range(41):
        run(row, kernel, n)


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in ("add scalar", "axpy")], ids=lambda row: row.name)
def test_every_count_is_right_where_banks_are_apart(row: Row) -> None:
    kernel = loaded(row)
    for n in range(ONE_BANK_EACH, ONE_BANK_EACH + 50):
        run(row, kernel, n)


def test_more_words_than_a_repeat_counts_to() -> None:
    # Two words a pass, 4095 passes a repeat: less than what one worker has of this, which is alone as x[n] is stored too.
    source = "export void k(uniform float16 x[], uniform int n) { foreach (i = 0 ... n) x[i] += 1; x[n] = 0; }"
    kernel: Any = voltac.compile(source, target="ipu-mk1").k
    x = np.ones(40_001, np.float16)
    kernel(x, 40_000)
    assert np.array_equal(x, np.append(np.full(40_000, 2, np.float16), np.float16(0)))
    assert kernel.last_run.workers[0].repeat_slots > 9000


def test_arrays_that_do_not_begin_at_a_word_are_right() -> None:
    source = "export void k(uniform float x[], uniform int first, uniform int n) { foreach (i = first ... n) x[i] += 1; }"
    kernel = voltac.compile(source, target="ipu-mk2").k
    for first in range(9):
        x = np.arange(3000, dtype=np.float32)
        kernel(x, first, 2999)
        expected = np.arange(3000, dtype=np.float32)
        expected[first:2999] += 1
        assert np.array_equal(x, expected)


def test_numbers_that_are_parts_of_words_are_all_stored() -> None:
    source = "export void k(uniform int8 x[], uniform int first, uniform int n) { foreach (i = first ... n) x[i] += i; }"
    kernel = voltac.compile(source, target="ipu-mk2").k
    for first, n in [(0, 3), (0, 100), (1, 100), (3, 101), (5, 6), (7, 90), (2, 2)]:
        x = np.zeros(128, np.int8)
        kernel(x, first, n)
        expected = np.zeros(128, np.int8)
        expected[first:n] = np.arange(first, n)
        assert np.array_equal(x, expected), (first, n)


def test_a_limit_that_is_no_number_is_chosen_as_the_language_says() -> None:
    kernel = loaded(next(row for row in ROWS if row.name == "clamp"))
    x = np.linspace(-2, 2, 3000, dtype=np.float32)
    kernel(x, np.nan, np.float32(-1), 3000)
    assert np.isnan(x).all()


def test_loops_whose_words_depend_on_each_other_stay() -> None:
    source = "export void k(uniform float x[], uniform int n) { foreach (i = 1 ... n) x[i] = x[i - 1] + 1; }"
    kernel: Any = voltac.compile(source, target="ipu-mk2").k
    x = np.zeros(64, np.float32)
    kernel(x, 64)
    assert kernel.last_run.workers[0].repeat_slots == 0


def test_a_program_is_read_back_from_its_text() -> None:
    steps = (StreamStep("v17", "mul", ("s0", "v0")), StreamStep("v18", "clamp", ("v17", "s1", "s2")))
    program = StreamProgram("float", 1, 3, steps, "v18")
    assert read_program(str(program)) == program
