"""Loops over streams: what they compute, at how many bundles a word of 64 bits, and that no bank is asked for twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from stream_loops import ONE_BANK_EACH, TYPES, A, Array, B, StreamRow, bundles_a_word, half, loaded, run

import voltac
from voltac.targets.ipu.streams.program import read_program


def in_float(x: Array, y: Array, a: Array, b: Array) -> Array:
    """A stencil of halves, computed as float."""
    left, middle, right = (x[first : len(x) - 8 + first].astype("f4") for first in (3, 4, 5))
    return (np.float32(a) * left + np.float32(b) * middle + np.float32(a) * right).astype(y.dtype)


FAST = (("fast_math", "aggressive"),)
F, FF, FFF = "float", "float float", "float float float"
IN_PLACE = [
    StreamRow("add scalar", F, "x[i] += a;", 1, lambda x, a, b: x[4:-4] + a),
    StreamRow("scale", F, "x[i] *= a;", 1, lambda x, a, b: x[4:-4] * a),
    StreamRow("b - x", F, "x[i] = b - x[i];", 1, lambda x, a, b: b - x[4:-4]),
]
OTHERS = [
    StreamRow("relu", F, "x[i] = max(x[i], (ELEMENT)0);", 1, lambda x, a, b: np.maximum(x[4:-4], x.dtype.type(0))),
    StreamRow("clamp", F, "x[i] = clamp(x[i], b, a);", 1, lambda x, a, b: np.minimum(np.maximum(x[4:-4], b), a)),
    StreamRow("copy", FF, "y[i] = x[i];", 1, lambda x, y, a, b: x[4:-4]),
    StreamRow("x + y", FFF, "z[i] = x[i] + y[i];", 1, lambda x, y, z, a, b: x[4:-4] + y[4:-4]),
]
ROWS = [
    *IN_PLACE,
    *(replace(row, body=row.body.replace("(ELEMENT)0", "0.0f")) for row in OTHERS),
    StreamRow("a*x + b", FF, "y[i] = a * x[i] + b;", 1, lambda x, y, a, b: a * x[4:-4] + b),
    StreamRow("axpy", FF, "y[i] = a * x[i] + y[i];", 1, lambda x, y, a, b: a * x[4:-4] + y[4:-4]),
    StreamRow("|x| - y", FFF, "z[i] = abs(x[i]) - y[i];", 2, lambda x, y, z, a, b: np.abs(x[4:-4]) - y[4:-4]),
    *(half(row) for row in IN_PLACE),
    *(replace(half(row), name=f"half {row.name} without infinities", options=FAST) for row in IN_PLACE),
    *(half(replace(row, body=row.body.replace("(ELEMENT)0", "0.0f16"))) for row in OTHERS),
    StreamRow("half a*x + b", "float16 float16", "y[i] = a * x[i] + b;", 2, lambda x, y, a, b: a * x[4:-4] + b),
    # Before, magnitudes are added to know that nothing overflows.
    StreamRow("half axpy", "float16 float16", "y[i] = a * x[i] + y[i];", 3, lambda x, y, a, b: a * x[4:-4] + y[4:-4]),
    # A word of halves is two of floats.
    StreamRow("to half", "float float16", "y[i] = (float16)x[i];", 2, lambda x, y, a, b: x[4:-4].astype("f2")),
    StreamRow("from half", "float16 float", "y[i] = (float)x[i];", 1, lambda x, y, a, b: x[4:-4].astype("f4")),
    StreamRow("strided a*x + b", FF, "y[2 * i] = a * x[2 * i] + b;", 4, lambda x, y, a, b: a * x[4:-4] + b, 2),
    StreamRow("stencil", FF, "y[i] = a * x[i - 1] + b * x[i] + a * x[i + 1];", 4,
        lambda x, y, a, b: a * x[3:-5] + b * x[4:-4] + a * x[5:-3]),
    StreamRow("stencil of sums", FF, "y[i] = a * (x[i - 1] + x[i + 1]) + b * x[i];", 4,
        lambda x, y, a, b: a * (x[3:-5] + x[5:-3]) + b * x[4:-4]),
    # Operations; three of them move halves.
    StreamRow("half stencil", "float16 float16", "y[i] = a * x[i - 1] + b * x[i] + a * x[i + 1];", 8,
        lambda x, y, a, b: a * x[3:-5] + b * x[4:-4] + a * x[5:-3]),
    StreamRow("half stencil of sums", "float16 float16", "y[i] = a * (x[i - 1] + x[i + 1]) + b * x[i];", 7,
        lambda x, y, a, b: a * (x[3:-5] + x[5:-3]) + b * x[4:-4]),
    StreamRow("half differences", "float16 float16", "y[i] = x[i + 1] - x[i];", 3, lambda x, y, a, b: x[5:-3] - x[4:-4]),
    StreamRow("half stencil summed as float", "float16 float16",
        "y[i] = (float16)((float)a * (float)x[i - 1] + (float)b * (float)x[i] + (float)a * (float)x[i + 1]);", 19, in_float),
    # Of a word of floats.
    StreamRow("half stencil to float", "float16 float", "y[i] = a * (float)x[i - 1] + b * (float)x[i] + a * (float)x[i + 1];",
        8.5, in_float),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_word_takes_as_many_bundles_as_the_reference_says(row: StreamRow) -> None:
    kernel = loaded(row)
    # From 5 on, the elements before the first whole gang are done by themselves.
    assert [bundles_a_word(row, kernel, ONE_BANK_EACH, first) for first in (4, 5)] == [row.bundles] * 2


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_count_is_right_where_banks_may_be_the_same(row: StreamRow) -> None:
    # So few lie in region 0, one behind the other. Fewer elements than workers have lanes, and about a gang each.
    kernel = loaded(row, "ipu-mk1")
    for n in (*range(10), *range(22, 34), 40):
        run(row, kernel, n)


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in ("add scalar", "axpy", "x + y")], ids=lambda row: row.name)
def test_every_count_is_right_where_banks_are_apart(row: StreamRow) -> None:
    kernel = loaded(row)
    for n in range(ONE_BANK_EACH, ONE_BANK_EACH + 50):
        run(row, kernel, n)


@pytest.mark.parametrize("body", ["y[i] = a * x[i] + y[i];", "y[i] = a * x[i] + b;"])
def test_halves_are_scaled_and_added_at_once_where_they_may_be_rounded_once(body: str) -> None:
    row = StreamRow("scaled", "float16 float16", body, 1, lambda x, y, a, b: y)
    kernel, bundles = loaded(row, fast_math="aggressive"), []
    for n in (2 * ONE_BANK_EACH, 2 * ONE_BANK_EACH + 480):
        x, y = (np.random.default_rng(seed).standard_normal(n).astype(np.float16) for seed in (n, n + 1))
        expected = (np.float32(A) * x.astype("f4") + (y.astype("f4") if "y[i];" in body else np.float32(B))).astype("f2")
        kernel(x, y, np.float16(A), np.float16(B), 0, n)
        assert np.array_equal(y, expected)
        bundles.append(kernel.last_run.bundles)
    assert (bundles[1] - bundles[0]) / (480 / 4 / 6) == row.bundles


@pytest.mark.parametrize(
    ("name", "bundles"), [("add scalar", 3), ("copy", 2), ("a*x + b", 4), ("x + y", 4), ("axpy", 5), ("half relu", 3)]
)
def test_the_naive_schedule_is_there_for_comparison(name: str, bundles: int) -> None:
    row = next(row for row in ROWS if row.name == name)
    assert bundles_a_word(row, loaded(row, loop_unrolling=False), ONE_BANK_EACH) == bundles


def test_a_stencil_whose_results_lie_between_words_takes_singles() -> None:
    source = """
        export void k(uniform float x[], uniform float y[], uniform float a, uniform float b, uniform int n) {
            foreach (i = 0 ... n) y[i + 1] = a * x[i] + b * x[i + 1] + a * x[i + 2];
        }"""
    kernel: Any = voltac.compile(source, target="ipu-mk2").k
    bundles = []
    for n in (ONE_BANK_EACH, ONE_BANK_EACH + 480):
        x, y = np.random.default_rng(n).standard_normal(n + 2).astype(np.float32), np.zeros(n + 2, np.float32)
        kernel(x, y, np.float32(A), np.float32(B), n)
        assert np.array_equal(y[1:-1], np.float32(A) * x[:-2] + np.float32(B) * x[1:-1] + np.float32(A) * x[2:])
        bundles.append(kernel.last_run.bundles)
    assert (bundles[1] - bundles[0]) / (480 / 2 / 6) == 5


@dataclass(frozen=True)
class Total:
    """A term summed up in each lane, and the bundles of a word of the first array."""

    name: str
    types: str
    term: str
    type: str
    bundles: float
    expected: Callable[[Array, Array], Array]
    options: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> str:
        arrays = ", ".join(f"uniform {type} {name}[]" for type, name in zip(self.types.split(), "xy"))
        return (
            f"export void k({arrays}, uniform {self.type} out[], uniform int n) {{"
            f" {self.type} s = out[programIndex]; foreach (i = 0 ... n) s += {self.term}; out[programIndex] = s; }}"
        )


TOTALS = [
    Total("sum", FF, "x[i]", "float", 0.5, lambda x, y: x),
    Total("sum of squares", FF, "x[i] * x[i]", "float", 0.5, lambda x, y: x * x),
    Total("absolute sum", FF, "abs(x[i])", "float", 0.5, lambda x, y: np.abs(x)),
    Total("dot product", FF, "x[i] * y[i]", "float", 1, lambda x, y: x * y),
    Total("sum of differences", FF, "x[i] - y[i]", "float", 2, lambda x, y: x - y),
    Total("sum of halves", "float16 float16", "(float)x[i]", "float", 1, lambda x, y: x.astype("f4")),
    Total("half sum", "float16 float16", "x[i]", "float16", 1, lambda x, y: x),
    Total("half dot product", "float16 float16", "x[i] * y[i]", "float16", 2, lambda x, y: x * y),
]


def summed(row: Total, kernel: Any, n: int, exact: bool = True) -> Any:
    """The report, the sums checked: a lane adds its terms in order."""
    random = np.random.default_rng(2)
    arrays = [random.standard_normal(n + 3).astype(TYPES[type]) for type in row.types.split()]
    out = np.array([0.5, -1, 2, 3], TYPES[row.type])
    expected = out.copy()
    for number, term in enumerate(row.expected(arrays[0][:n], arrays[1][:n])):
        expected[number % 4] += term
    kernel(*arrays, out, n)
    assert np.array_equal(out, expected) if exact else np.isclose(out.sum(), expected.sum(), rtol=1e-4), f"{row.name} of {n}"
    assert kernel.last_run.conflicts == 0
    return kernel.last_run


@pytest.mark.parametrize("row", TOTALS, ids=lambda row: row.name)
def test_a_word_of_a_sum_takes_as_many_bundles_as_the_reference_says(row: Total) -> None:
    kernel = voltac.compile(row.source, target="ipu-mk2").k
    reports = [summed(row, kernel, n) for n in (ONE_BANK_EACH, ONE_BANK_EACH + 480)]
    words = 480 * np.dtype(TYPES[row.types.split()[0]]).itemsize / 8
    assert (reports[1].bundles - reports[0].bundles) / words == row.bundles


def test_a_dot_product_of_halves_in_any_order_takes_a_bundle_a_word() -> None:
    row = Total("dot", "float16 float16", "(float)x[i] * (float)y[i]", "float", 1, lambda x, y: x.astype("f4") * y)
    kernel = voltac.compile(row.source, target="ipu-mk2", fast_math="balanced").k
    reports = [summed(row, kernel, n, exact=False) for n in (ONE_BANK_EACH, ONE_BANK_EACH + 480)]
    assert (reports[1].bundles - reports[0].bundles) / 120 == 1


IN_ANY_ORDER = [
    Total("sum of halves", "float16 float16", "(float)x[i]", "float", 0.5, lambda x, y: x.astype("f4")),
    Total("absolute sum of halves", "float16 float16", "abs((float)x[i])", "float", 0.5, lambda x, y: np.abs(x.astype("f4"))),
    Total("squares of halves", "float16 float16", "(float)x[i] * (float)x[i]", "float", 0.5, lambda x, y: x.astype("f4") ** 2),
]


@pytest.mark.parametrize("row", IN_ANY_ORDER, ids=lambda row: row.name)
def test_eight_halves_are_summed_up_at_a_time_in_any_order(row: Total) -> None:
    kernel: Any = voltac.compile(row.source, target="ipu-mk2", fast_math="balanced").k
    reports = [summed(row, kernel, n, exact=False) for n in (ONE_BANK_EACH, ONE_BANK_EACH + 960)]
    assert (reports[1].bundles - reports[0].bundles) / (960 / 4) == row.bundles
    # Workers begin at odd gangs, too; small arrays lie in the other region, where 128 bits are not loaded at once.
    for n in (*range(41), *range(ONE_BANK_EACH, ONE_BANK_EACH + 50)):
        random = np.random.default_rng(n)
        x, out = random.standard_normal(n + 3).astype(np.float16), np.array([0.5, -1, 2, 3], np.float32)
        terms = row.expected(x[:n], x[:n]).astype(np.float64)
        expected = out + [terms[lane::4].sum() for lane in range(4)]
        kernel(x, x.copy(), out, n)
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("row", TOTALS, ids=lambda row: row.name)
def test_every_count_is_summed_up_in_order(row: Total) -> None:
    kernel = voltac.compile(row.source, target="ipu-mk1").k
    for n in range(25):
        summed(row, kernel, n)


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
    kernel(x, np.nan, np.float32(-1), 0, 3000)
    assert np.isnan(x).all()


def test_floats_that_are_too_large_for_halves_are_infinite() -> None:
    x = np.tile(np.array([65519, 65520, -1e30, 0.1, np.inf, 1e-8, np.nan, -65504], np.float32), 50)
    y = np.zeros(400, np.float16)
    loaded(next(row for row in ROWS if row.name == "to half"))(x, y, np.float16(0), np.float16(0), 0, 400)
    with np.errstate(over="ignore"):
        assert np.array_equal(y, x.astype(np.float16), equal_nan=True)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("function", ["max", "min"])
@pytest.mark.parametrize("limit", [0.0, -0.0])
def test_the_sign_of_a_zero_is_the_one_of_the_language(type: str, function: str, limit: float) -> None:
    # max(a, b) is a > b ? a : b, so of equal zeros the second.
    source = (
        f"export void k(uniform {type} x[], uniform {type} b, uniform int n)"
        f" {{ foreach (i = 0 ... n) x[i] = {function}(x[i], b); }}"
    )
    x = np.tile(np.array([0.0, -0.0, 1, -1], TYPES[type]), 400)
    b = x.dtype.type(limit)
    expected = np.where(x > b if function == "max" else x < b, x, b)
    voltac.compile(source, target="ipu-mk2").k(x, b, len(x))
    assert np.array_equal(np.signbit(x), np.signbit(expected)) and np.array_equal(x, expected)


def test_loops_whose_words_depend_on_each_other_stay() -> None:
    source = "export void k(uniform float x[], uniform int n) { foreach (i = 1 ... n) x[i] = x[i - 1] + 1; }"
    kernel: Any = voltac.compile(source, target="ipu-mk2").k
    x = np.zeros(64, np.float32)
    kernel(x, 64)
    assert kernel.last_run.workers[0].repeat_slots == 0


PROGRAMS = (
    "scalars 3; load v0 word 1; v17 = f32v2mul s0 v0; v18 = f32v2clamp v17 s1 s2; store v18 word 1 over v0",
    "scalars 2; load v1 word 1; load v2 singles 1; v3 = f32v2mul s1 v2; v4 = f32v2axpy c5 v3; delay c5 v1; scale s0;"
    " store v4 singles 0",
    "scalars 0; load v0 word 2; v1 = f32v2tof16 v0; v2 = f32v2tof16 v0 into v1; carry c3 v2; sum f16v4acc 2 v0; guard",
)


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_is_read_back_from_its_text(text: str) -> None:
    assert str(read_program(text)) == text
