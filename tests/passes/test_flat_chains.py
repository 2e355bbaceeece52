"""Chains of conditions with short bodies are straight code: lanes select, whatever they were before has no say."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from guard_pages import Array, FencedCalls
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

HEAD = "(uniform TYPE a[], const uniform TYPE b[], const uniform TYPE c[], uniform int n)"
# Name -> body, and what it stores for x of b and t of c, where conditions are tried in order.
CHAINS: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "values": (
        "TYPE y; if (x < 20) y = 2 * x; else if (x < 40) y = x + 1; else if (x < 60) y = 90 - x;"
        " else if (x < 80) y = x; else y = 5; a[i] = y;",
        lambda x, t: np.select([x < 20, x < 40, x < 60, x < 80], [2 * x, x + 1, 90 - x, x], 5),
    ),
    "changed": (
        "if (x < 20) t = 2 * x; else if (t < 40) t = x + 1; else if (x < t) t = 3; else if (x + t < 80) t += 5; a[i] = t;",
        lambda x, t: np.select([x < 20, t < 40, x < t, x + t < 80], [2 * x, x + 1, 3 + 0 * x, t + 5], t),
    ),
    "stores": (
        "if (x < 20) a[i] = 2 * x; else if (t < 40) a[i] = x + 1; else if (x < t) a[i] = 3; else a[i] = t;",
        lambda x, t: np.select([x < 20, t < 40, x < t], [2 * x, x + 1, 3 + 0 * x], t),
    ),
    "nested": (
        "TYPE y; if (x < 50) { if (t < 20) y = x; else if (t < 50) y = t; else y = 1; }"
        " else { y = 2; if (t < x) y = 7; } a[i] = y;",
        lambda x, t: np.where(x < 50, np.select([t < 20, t < 50], [x, t], 1), np.where(t < x, 7, 2)),
    ),
    "loaded_again": (
        "a[i] = x; if (a[i] < 40) { a[i] = t; a[i] = a[i] + 3; } else if (b[i] > 60) a[i] = b[i] - 1;",
        lambda x, t: np.select([x < 40, x > 60], [t + 3, x - 1], x),
    ),
    "twice": (
        "TYPE y; if (x < 20) y = x; else y = t; TYPE z; if (y < 30) z = y + 1; else z = y; a[i] = z;",
        lambda x, t: np.where(np.where(x < 20, x, t) < 30, np.where(x < 20, x, t) + 1, np.where(x < 20, x, t)),
    ),
}
SOURCES = {
    name: f"export void {name}{HEAD} {{ foreach (i = 0 ... n) {{ TYPE x = b[i], t = c[i]; {body} }} }}"
    for name, (body, _) in CHAINS.items()
}


@pytest.mark.parametrize(
    ("element", "target"),
    [
        ("float", "avx2-i32x8"),
        ("uint8", "avx2-i32x8"),
        ("int", "sse4-i32x4"),
        ("double", "avx512skx-x16"),
        ("int16", "avx2-i32x16"),
    ],
)
def test_each_lane_goes_its_own_way(element: str, target: str) -> None:
    dtype = np.dtype({"int": "int32", "double": "float64", "float": "float32"}.get(element, element))
    kernels = compile_kernels("\n".join(SOURCES.values()).replace("TYPE", element), target)
    calls, random = FencedCalls(), np.random.default_rng(1)
    for n in (1, find_target(target).width, 131):
        b, c = (random.integers(0, 100, n).astype(dtype) for _ in range(2))
        for name, (_, formula) in CHAINS.items():
            for at_end in (False, True):
                to, *given = calls.copies(np.zeros(n, dtype), b, c, at_end=at_end)
                calls.add((name, n), partial(kernels[name], to, *given, n), (to, formula(b, c).astype(dtype)))
    calls.check()


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_whole_gangs_are_one_block(target: str) -> None:
    for name, template in SOURCES.items():
        source = template.replace("TYPE", "int")
        text = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), end="passes").results["passes"]
        assert not re.findall(r"^foreach\S*\.if\.\S*:", text, re.MULTILINE), name
        assert "select i1" not in text, name


def test_a_variable_without_a_value_is_not_carried_on() -> None:
    """It has none in each iteration anew; else each would wait for the one before."""
    source = """export void f(uniform float a[], const uniform float b[], uniform int n) {
        foreach (i = 0 ... n) { float y; bool small; if (b[i] > 1) y = b[i]; else y = 2; small = y < 2; a[i] = small ? y : 1; }
        for (uniform int k = 0; k < n; k++) { uniform float z; if (b[k] > 1) z = b[k]; else z = 3; a[k] += z; }
    }"""
    early = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3), Diagnostics(), end="early").results["early"]
    assert "%entry ], [ undef" not in early and "[ undef, %entry ]" not in early
