"""A foreach that only copies is one memcpy, and copies exactly what it should."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import compile_kernels

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = (
    "export void f(uniform T a[], uniform T b[], uniform int first, uniform int n) {{ foreach (i = first ... n) {{ {} }} }}"
)
COPY = "b[i + 2] = a[i + 1];"


def source(element: str, body: str) -> str:
    return SOURCE.format(body).replace("uniform T", f"uniform {element}")


def passed(body: str, element: str = "float") -> str:
    made = compile_source(source(element, body), "f.ispc", Options(find_target("avx2-i32x8")), end="passes")
    return str(made.results["passes"])


def test_loop_and_rest_are_one_memcpy() -> None:
    made = compile_source(source("float", COPY), "f.ispc", Options(find_target("avx2-i32x8")), end="passes")
    assert made.results["passes"].count("call void @llvm.memcpy") == 1
    assert "llvm.masked" not in made.results["passes"]
    assert [(each.kind, each.operation) for each in made.access_reports] == [("copied", "load"), ("copied", "store")]


@pytest.mark.parametrize("element", ["int8", "int16", "float", "double"])
def test_every_range_is_copied_and_nothing_else(element: str) -> None:
    kernel = voltac.compile(source(element, COPY), target="host").f
    dtype = {"int8": np.int8, "int16": np.int16, "float": np.float32, "double": np.float64}[element]
    a = (np.arange(120) % 100).astype(dtype)
    for first in (0, 1, 5, 40):
        for n in (0, 1, 4, 5, 6, 16, 17, 40, 41, 73, 100):
            b = np.full(120, 7, dtype)
            expected = b.copy()
            if n > first:
                expected[first + 2 : n + 2] = a[first + 1 : n + 1]
            kernel(a, b, first, n)
            assert np.array_equal(b, expected), (first, n)


@pytest.mark.parametrize(
    "body",
    [
        "a[i + 1] = a[i];",
        "b[i] = a[2 * i];",
        "b[i] = a[i] + 1;",
        "b[i] = a[i]; b[i + 1] = a[i];",
        "if (a[i] > 0) b[i] = a[i];",
        "b[i] = a[n - i];",
    ],
)
def test_other_loops_are_left_alone(body: str) -> None:
    assert "memcpy" not in passed(body)


ROWS = """export void f(uniform T to[], const uniform T from[], uniform int n, uniform int m, uniform int x) {
    for (uniform int y = 0; y < m; y++) foreach (i = 0 ... n) to[y * n + i] = from[(y + 1) * (n + 3) + i + x];
}"""


@pytest.mark.parametrize(("element", "copies"), [("uint8", True), ("int16", True), ("float", False)])
def test_rows_are_copied_where_masks_are_slow(element: str, copies: bool) -> None:
    text = ROWS.replace("uniform T", f"uniform {element}")
    made = compile_source(text, "f.ispc", Options(find_target("avx2-i32x8")), end="passes").results["passes"]
    assert ("call void @llvm.memcpy" in made) == copies
    assert "memcpy" not in compile_source(text, "f.ispc", Options(find_target("avx512skx-x16")), end="passes").results["passes"]


def test_rows_of_every_width() -> None:
    kernel = compile_kernels(ROWS.replace("uniform T", "uniform uint8"), "avx2-i32x8").f
    calls, made = FencedCalls(), []
    for n in (1, 7, 8, 9, 16, 31, 33, 70):
        for m, x in ((1, 0), (3, 2)):
            source = np.random.default_rng(n).integers(0, 255, (m + 1) * (n + 3), np.uint8)[: m * (n + 3) + n + x]
            for at_end in (False, True):
                to, given = calls.copies(np.zeros(m * n, np.uint8), source, at_end=at_end)
                calls.add((n, m), partial(kernel, to, given, n, m, x))
                made.append((to, [source[(y + 1) * (n + 3) + x :][:n] for y in range(m)]))
    calls.check()
    assert all(to.tolist() == np.concatenate(wanted).tolist() for to, wanted in made)
    to = np.zeros(3, np.uint8)
    kernel(to, np.ones(3, np.uint8), 0, 3, 5)
    kernel(to, np.ones(3, np.uint8), 5, 0, 5)
    assert not to.any()
