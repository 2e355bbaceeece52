"""Sums along rows of the lanes' own in any order: parts of rows are added as they lie in memory, and nothing else is loaded."""

from __future__ import annotations

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
TERMS = {
    "plain": "x[i * m + k]",
    "squares": "x[i * m + k] * x[i * m + k]",
    "two_rows": "x[i * m + k] * y[i * m + k]",
    "scaled": "(3 * x[i * m + k] + n) * 2",
    "by_lane": "x[i * m + k] * y[i]",  # not the same in all lanes
    "by_iteration": "x[i * m + k] * k",  # not the same in all iterations
}
FOLDED = ("plain", "squares", "two_rows", "scaled")


def kernel(name: str, element: str) -> str:
    return (
        f"export void {name}(uniform {element} to[], const uniform {element} x[], const uniform {element} y[], uniform int n, "
        f"uniform int m) {{ foreach (i = 0 ... n) {{ {element} sum = i; "
        f"for (uniform int k = 0; k < m; k++) sum += {TERMS[name]}; to[i] = sum; }} }}\n"
    )


def expected(name: str, x: np.ndarray, y: np.ndarray, n: int, m: int) -> np.ndarray:
    rows, others, k = x[: n * m].reshape(n, m), y[: n * m].reshape(n, m), np.arange(m, dtype=x.dtype)
    terms = {
        "plain": rows,
        "squares": rows * rows,
        "two_rows": rows * others,
        "scaled": (3 * rows + x.dtype.type(n)) * 2,
        "by_lane": rows * y[:n, None],
        "by_iteration": rows * k,
    }[name]
    return np.asarray((np.arange(n) + terms.sum(axis=1, dtype=x.dtype)).astype(x.dtype))


def passed(source: str, fast_math: str, target: str = "avx2-i32x8") -> str:
    options = Options(find_target(target), 3, fast_math=fast_math)
    text: str = compile_source(source, "f.ispc", options, Diagnostics(), end="passes").results["passes"]
    return text


@pytest.mark.parametrize(("element", "target"), some_pairs(["int", "unsigned int", "float"], TARGETS, 3))
def test_sums_are_those_of_the_rows(element: str, target: str) -> None:
    """Small whole numbers, whose sums are exact in any order, between guard pages."""
    random = np.random.default_rng(1)
    dtype = {"int": np.int32, "unsigned int": np.uint32, "float": np.float32}[element]
    source = "".join(kernel(name, element) for name in TERMS)
    fast_math = "aggressive" if element == "float" else ""
    kernels = JudgedKernels(source, target, fast_math=fast_math)
    for name in TERMS:
        for n, m in ((1, 9), (16, 3), (16, 4), (19, 5), (37, 8), (5, 23)):
            x, y = (random.integers(0, 20, n * m).astype(dtype) for _ in range(2))
            wanted = expected(name, x, y, n, m)
            kernels.expect(name, [np.zeros(n, dtype), x, y], (n, m), wanted, interpreted=m == 5)
    kernels.check()


def test_parts_may_be_larger_than_the_whole() -> None:
    """A sum of int does not wrap around, those of every fourth element do: that must not be undefined."""
    m = 16
    x = np.array([2**30, -(2**30), 5, -5] * (m // 4) * 8, np.int32)
    to = np.zeros(8, np.int32)
    IRInterpreter(read(passed(kernel("plain", "int"), ""))).call("plain", [to, x, x, 8, m])
    assert to.tolist() == list(range(8))


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize(("element", "fast_math"), [("int", ""), ("float", "aggressive")])
def test_which_sums_stay_in_parts(name: str, element: str, fast_math: str) -> None:
    assert (".rows.folded:" in passed(kernel(name, element), fast_math)) == (name in FOLDED)


def test_the_order_of_additions_is_kept_unasked() -> None:
    text = passed(kernel("plain", "float"), "")
    assert ".rows.body:" in text and ".rows.folded:" not in text


def test_a_sum_that_is_looked_at_in_the_loop_is_made_in_it() -> None:
    source = kernel("plain", "int").replace("sum += x[i * m + k];", "{ sum += x[i * m + k]; if (sum > 100) sum -= 7; }")
    assert ".rows.folded:" not in passed(source, "")
