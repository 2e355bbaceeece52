"""Matrices of each lane are computed row by row, as they lie in memory: the same results, and nothing else is touched."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from guard_pages import Array, FencedCalls
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

_EACH = "for (uniform int r = 0; r < 4; r++) for (uniform int k = 0; k < 4; k++)"
_SUM = "TYPE s = 0; for (uniform int j = 0; j < 4; j++) s += {}; a[16 * i + 4 * r + k] = s;"
BODIES = {
    "product": f"{_EACH} {{{{ {_SUM} }}}}".format("b[16 * i + 4 * r + j] * c[16 * i + 4 * j + k]"),
    "by_columns": f"{_EACH} {{{{ {_SUM} }}}}".format("b[16 * i + 4 * j + k] * c[16 * i + 4 * r + j]"),
    "of_one": f"{_EACH} {{{{ {_SUM} }}}}".format("c[4 * r + j] * b[16 * i + 4 * j + k]"),
    "turned": f"{_EACH} {{{{ {_SUM} }}}}".format("b[16 * i + 4 * r + j] * c[16 * i + 4 * k + j]"),
    "in_place": f"{_EACH} a[16 * i + 4 * r + k] = a[16 * i + 4 * r + k] * b[16 * i + k] + a[16 * i + 5 * r];",
    "added": "for (uniform int k = 0; k < 16; k++) a[16 * i + k] = b[16 * i + k] * 3 + c[16 * i + 15 - k];",
    "rows": "for (uniform int r = 0; r < 4; r++) { TYPE t = c[16 * i + r]; a[16 * i + 4 * r] = t + b[16 * i + r];"
    " a[16 * i + 4 * r + 1] = t * 2; a[16 * i + 4 * r + 2] = t - 1; a[16 * i + 4 * r + 3] = b[16 * i + 4 * r + 3]; }",
}
HEAD = "(uniform TYPE a[], const uniform TYPE b[], const uniform TYPE c[], uniform int n)"
SOURCE = "\n".join(f"export void {name}{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}" for name, body in BODIES.items())


def wanted(name: str, a: Array, b: Array, c: Array) -> Array:
    """Of matrices as ``(n, 4, 4)``."""
    if name == "product":
        return b @ c
    if name == "by_columns":
        return c @ b
    if name == "of_one":
        return c[0] @ b if len(b) else b
    if name == "turned":
        return b @ c.transpose(0, 2, 1)
    result = a.copy()
    flat, left, right = (each.reshape(-1, 16) for each in (result, b, c))
    if name == "added":
        flat[:] = left * 3 + right[:, ::-1]
    elif name == "rows":
        for r in range(4):
            t = right[:, r]
            flat[:, 4 * r : 4 * r + 4] = np.stack([t + left[:, r], t * 2, t - 1, left[:, 4 * r + 3]], 1)
    else:
        for r in range(4):
            for k in range(4):
                flat[:, 4 * r + k] = flat[:, 4 * r + k] * left[:, k] + flat[:, 5 * r]
    return result


@pytest.mark.parametrize(("element", "target"), [("float", "avx2-i32x8"), ("int", "avx512skx-x16"), ("double", "sse4-i32x4")])
def test_each_remainder_at_both_ends_of_memory(element: str, target: str) -> None:
    dtype = np.dtype({"int": np.int32, "float": np.float32, "double": np.float64}[element])
    kernels = compile_kernels(SOURCE.replace("TYPE", element), target)
    width, random, calls = find_target(target).width, np.random.default_rng(1), FencedCalls()
    for n in (0, 1, width, 2 * width + 3):
        for name in BODIES:
            a, b, c = (random.integers(0, 4, (n, 4, 4)).astype(dtype) for _ in range(3))
            result = wanted(name, a, b, c).astype(dtype)
            for at_end in (False, True):
                to, *given = calls.copies(a.ravel(), b.ravel(), c.ravel(), at_end=at_end)
                calls.add((name, n, at_end), partial(getattr(kernels, name), to, *given, n), (to, result.ravel()))
    calls.check()


def _stopped(name: str, after: str, target: str) -> str:
    body = BODIES[name].replace("TYPE", "float")
    source = f"export void f{HEAD} {{ foreach (i = 0 ... n) {{ {body} }} }}".replace("TYPE", "float")
    watch = Watch(passes=PassRuns(stop_after=after))
    made = compile_source(source, "f.ispc", Options(find_target(target), 3), Diagnostics(), watch=watch).stopped
    assert made is not None
    return made


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
@pytest.mark.parametrize("name", ["product", "by_columns", "of_one", "added"])
def test_rows_are_whole_vectors(name: str, target: str) -> None:
    assert not re.search(r"@volta\.scatter\.v.* splat \(i1 true\)\)", _stopped(name, "join_members", target))


def test_a_row_is_loaded_into_both_halves() -> None:
    assert re.search(r"= load <4 x float>, ptr", _stopped("product", "join_members", "avx2-i32x8"))
