"""Lanes that go along rows of their own load several elements at a time: the sums numpy says, and nothing else is read."""

from itertools import product

import numpy as np
import pytest
from kernels import compile_kernels
from passed_text import passed
from row_kernels import TARGETS, check_fenced, every_size
from row_kernels import TYPES as SIGNED_TYPES
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TYPES = {**SIGNED_TYPES, "uint8": np.uint8}
ROWS = """
export void rows(uniform T to[], const uniform T from[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        T sum = 0;
        for (uniform int k = 0; k < m; k++)
            sum = sum * 2 + from[i * m + k];
        to[i] = sum;
    }
}
export void some(uniform T to[], const uniform T from[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        T sum = 1;
        if (i % 3 == 1)
            for (uniform int k = m; k <= 2 * m - 1; k++) {
                T x = from[(n - 1 - i) * m + (k - m)];
                if (x > 2)
                    sum += x;
            }
        to[i] = sum;
    }
}
"""
SHAPES = [(1, 4), (3, 9), (8, 3), (13, 6), (16, 8), (21, 5), (2, 0)]


def expected(kernel: str, source: np.ndarray, n: int, m: int) -> list[float]:
    result: list[float] = []
    for i in range(n):
        if kernel == "rows":
            row = [int(x) for x in source[i * m : i * m + m]]
            result.append(sum(x << (m - 1 - k) for k, x in enumerate(row)))
        else:
            row = [int(x) for x in source[(n - 1 - i) * m : (n - i) * m]] if i % 3 == 1 else []
            result.append(1 + sum(x for x in row if x > 2))
    wrapped: list[float] = np.array(result, np.int64).astype(source.dtype).tolist()
    return wrapped


def in_blocks(source: str, target: str = "avx2-i32x8") -> bool:
    return ".rows.body:" in passed(source, target)


def elements(kind: str, count: int) -> np.ndarray:
    """Small ones, of which each sum is exact."""
    high = 2 if np.dtype(TYPES[kind]).itemsize == 1 else 4
    return np.random.default_rng(1).integers(0, high, count).astype(TYPES[kind])


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, len(TARGETS)))
def test_each_lane_has_the_elements_of_its_row(kind: str, target: str) -> None:
    """By the interpreter of the IR, where an access outside of an array is an error, as is poison."""
    source = ROWS.replace("T ", f"{kind} ")
    assert in_blocks(source, target)
    interpreter = IRInterpreter(read(passed(source, target)))
    for kernel, (n, m) in product(("rows", "some"), SHAPES):
        given, to = elements(kind, n * m), np.zeros(n, TYPES[kind])
        interpreter.call(kernel, [to, given, n, m])
        assert to.tolist() == expected(kernel, given, n, m), (kernel, n, m)


@every_size
def test_nothing_beyond_the_rows_is_read(kind: str, target: str) -> None:
    calls = (
        (kernel, np.zeros(n, TYPES[kind]), given, (n, m), np.array(expected(kernel, given, n, m), TYPES[kind]))
        for kernel, (n, m) in product(("rows", "some"), SHAPES)
        for given in [elements(kind, n * m)]
    )
    check_fenced(ROWS.replace("T ", f"{kind} "), target, calls)


RUNS = """
export void runs(uniform int to[], const uniform int from[], const uniform int starts[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        int sum = 0, start = starts[i];
        for (uniform int k = 0; k < m; k++)
            sum += from[start + k] * (k + 1);
        to[i] = sum;
    }
}
"""


def test_rows_that_begin_anywhere() -> None:
    assert in_blocks(RUNS)
    given, starts = np.arange(40, dtype=np.int32) ** 2, np.array([30, 0, 7, 7, 33, 1, 2, 3, 20], np.int32)
    to = np.zeros(9, np.int32)
    compile_kernels(RUNS, "avx2-i32x8").runs(to, given, starts, 9, 7)
    assert to.tolist() == [int((given[s : s + 7] * np.arange(1, 8)).sum()) for s in starts]


def test_counters_that_end_at_the_greatest_number() -> None:
    source = RUNS.replace("int k = 0; k < m;", "int k = 2147483640; k < 2147483640 + m;")
    source = source.replace("start + k]", "start + (k - 2147483640)]").replace("(k + 1)", "1")
    assert in_blocks(source)
    given, to = np.arange(20, dtype=np.int32), np.zeros(3, np.int32)
    IRInterpreter(read(passed(source))).call("runs", [to, given, np.array([0, 5, 13], np.int32), 3, 7])
    assert to.tolist() == [21, 56, 112]


def test_members_of_structs_and_rows_of_arrays() -> None:
    source = """struct Row { int before; float at[9]; };
export void f(uniform float to[], const uniform Row from[], uniform int m, uniform int n) {
    foreach (i = 0 ... n) {
        float sum = 0;
        for (uniform int k = 0; k < m; k++)
            sum += from[i].at[k];
        to[i] = sum;
    }
}
"""
    assert in_blocks(source)
    given, to = np.arange(110, dtype=np.float32), np.zeros(11, np.float32)
    IRInterpreter(read(passed(source))).call("f", [to, given, 9, 11])
    assert to.tolist() == given.reshape(11, 10)[:, 1:].sum(axis=1).tolist()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("sum += from[start + k] * (k + 1);", "{ sum += from[start + k]; to[i] = sum; }"),  # may be what is loaded next
        ("start + k]", "start + 2 * k]"),
        ("start + k]", "start - k]"),
        ("start + k]", "(start * m + k) / 2]"),
        ("sum += from[start + k] * (k + 1);", "if (sum < 9) sum += from[start + k];"),  # which lanes load is seen late
        ("k++", "k += 2"),
    ],
)
def test_other_loops_are_left_as_they_are(before: str, after: str) -> None:
    changed = RUNS.replace("const uniform int from", "uniform int from").replace(before, after)
    assert changed != RUNS.replace("const uniform int from", "uniform int from")
    assert not in_blocks(changed)


def test_what_is_told_is_told_of_the_blocks() -> None:
    options = Options(find_target("avx2-i32x8"), 3)
    reports = compile_source(RUNS, "f.ispc", options, Diagnostics(), end="passes").access_reports
    rows = [report for report in reports if report.line == 6]
    assert {report.kind for report in rows} == {"shuffled"}
    assert rows[0].reason == "one load a lane serves 4 iterations"
