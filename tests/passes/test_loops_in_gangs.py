"""Gangs whose work is a short loop are done several at once, with numpy's results; not where their order could be told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
HEAD = "export void f(uniform {0} a[], uniform {0} b[], uniform {0} c[], uniform int n, uniform int m) {{ "
FILTER = "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += c[k] * b[i + k]; a[i] = s; }} }}"
PRODUCT = (
    "foreach (j = 0 ... n) {{ {0} s = 0, t = 1; for (uniform int k = 0; k < m; k++) {{"
    " if (k == 2) continue; s += c[k] * b[k * n + j]; t = min(t, s); }} a[j] = s - t; }} }}"
)
DEEP = (
    "foreach (j = 0 ... n) {{ {0} s = b[j]; for (uniform int k = 0; k < m; k++)"
    " for (uniform int l = 0; l < k; l++) s = s * c[l] + b[k * n + j]; a[j] = s; }} }}"
)


def filtered(b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    return sum((c[k] * b[k : k + n] for k in range(m)), np.zeros(n, b.dtype))


def multiplied(b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    s, t = np.zeros(n, b.dtype), np.ones(n, b.dtype)
    for k in range(m):
        if k != 2:
            s = s + c[k] * b[k * n : k * n + n]
            t = np.minimum(t, s)
    return s - t


def deep(b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    s = b[:n]
    for k in range(m):
        for number in range(k):
            s = s * c[number] + b[k * n : k * n + n]
    return s


CASES = {"filter": (FILTER, filtered), "product": (PRODUCT, multiplied), "loop in a loop": (DEEP, deep)}


def passed(source: str, target: str) -> str:
    made = compile_source(source, "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    text: str = made.results["passes"]
    return text


def small_numbers(dtype: type, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, count).astype(dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64), ("int", np.int32)])
@pytest.mark.parametrize("case", CASES)
def test_results_are_numpys(case: str, name: str, dtype: Any, target: str) -> None:
    body, expected = CASES[case]
    source = (HEAD + body).format(name)
    assert ".wide_body:" in passed(source, target)
    kernel = compile_kernels(source, target=target).f
    for n, m in [(0, 3), (1, 1), (15, 4), (16, 0), (33, 5), (64, 3), (100, 6), (131, 2)]:
        b, c, a = small_numbers(dtype, (m + 1) * n + m, n), small_numbers(dtype, m, m), np.zeros(n, dtype)
        kernel(a, b, c, n, m)
        assert np.array_equal(a, expected(b, c, n, m)), (n, m)


def test_the_ir_means_the_same() -> None:
    text = passed((HEAD + PRODUCT).format("float"), "avx2-i32x8")
    b, c, a = small_numbers(np.float32, 500, 1), small_numbers(np.float32, 5, 2), np.zeros(77, np.float32)
    IRInterpreter(read(text)).call("f", [a, b, c, 77, 5])
    assert np.array_equal(a, multiplied(b, c, 77, 5))


@pytest.mark.parametrize(
    "body",
    [
        # Stored in the turns of the loop: rows of gangs could meet.
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) {{ s += b[i + k]; a[k * n + i] = s; }} }} }}",
        # Reads what other gangs have stored.
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += a[i + k]; a[i] = s; }} }}",
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += a[k] * b[i]; a[i] = s; }} }}",
        # The number of turns is another one for each gang.
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < extract(i, 0); k++) s += b[i + k]; a[i] = s; }} }}",
        # What gangs leave behind.
        "uniform int t = 0; foreach (i = 0 ... n) {{ {0} s = 0;"
        " for (uniform int k = 0; k < m; k++) {{ s += b[i + k]; t += k; }} a[i] = s + t; }} }}",
    ],
)
def test_gangs_that_meet_or_differ_are_left_alone(body: str) -> None:
    assert ".wide_body:" not in passed((HEAD + body).format("float"), "avx2-i32x8")


def test_long_loops_are_left_alone() -> None:
    body = "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += sqrt(b[i + k]); a[i] = s; }} }}"
    assert ".wide_body:" not in passed((HEAD + body).format("float"), "avx2-i32x8")
