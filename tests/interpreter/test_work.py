"""What a call has to do at least: operations of lanes that are on, and bytes, counted by hand."""

from typing import Any

import numpy as np
import pytest

from voltac.driver import compile_source
from voltac.interpreter import Work, work_of
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

N = 21


def floats(count: int = N) -> Any:
    return np.linspace(1, 2, count, dtype=np.float32)


@pytest.mark.parametrize("target", ["generic-i32x1", "sse4-i32x4", "avx2-i32x8"])
@pytest.mark.parametrize(
    ("body", "operations", "read", "written"),
    [
        ("foreach (i = 0 ... n) b[i] = s * a[i] + b[i];", 2 * N, 8 * N, 4 * N),
        # Neighbours are read once, however often.
        ("foreach (i = 1 ... n - 1) b[i] = a[i - 1] + a[i] + a[i + 1];", 2 * (N - 2), 4 * N, 4 * (N - 2)),
        ("foreach (i = 0 ... n) if (i % 3 == 0) b[i] = a[i] / 2;", N // 3, 4 * N // 3, 4 * N // 3),
        ("for (uniform int k = 0; k < n; k++) b[k] = a[0] - 1;", N, 4, 4 * N),
        ("foreach (i = 0 ... n) b[i] = i < 5 ? 3.0f : 4.0f;", 0, 0, 4 * N),
        ("float<3> v = {1, 2, 3}; uniform float<3> u = {s, s, s}; u = u * u; b[0] = u.x;", 3, 0, 4),
    ],
)
def test_calls_are_counted(target: str, body: str, operations: int, read: int, written: int) -> None:
    source = f"export void f(uniform float s, uniform float a[], uniform float b[], uniform int n) {{ {body} }}"
    options = Options(target=find_target(target))
    program = compile_source(source, "f.ispc", options, Diagnostics(), end="check").program
    assert work_of(program, options, "f", [2.0, floats(), floats(), N]) == Work(operations, read, written)


def test_functions_of_the_library_are_counted_too() -> None:
    source = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = exp(a[i]); }"
    options = Options(target=find_target("avx2-i32x8"))
    program = compile_source(source, "f.ispc", options, Diagnostics(), end="check").program
    # A polynomial of at least degree 4 in Horner's form: two operations a step, as one instruction or not.
    assert work_of(program, options, "f", [floats(), N]).operations >= 8 * N
