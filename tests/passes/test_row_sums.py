"""Sums along rows of the lanes' own in any order: parts of rows are added as they lie in memory, and nothing else is loaded."""

from __future__ import annotations

from typing import Any

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
    "shared": "x[i * m + k] * y[k]",
    "by_lane": "x[i * m + k] * y[i]",  # not the same in all lanes
    "by_iteration": "x[i * m + k] * k",  # not the same in all iterations
}
FOLDED = ("plain", "squares", "two_rows", "scaled", "shared")


def kernel(name: str, element: str) -> str:
    return (
        f"export void {name}(uniform {element} to[], const uniform {element} x[], const uniform {element} y[], uniform int n, "
        f"uniform int m) {{ foreach (i = 0 ... n) {{ {element} sum = i; "
        f"for (uniform int k = 0; k < m; k++) sum += {TERMS[name]}; to[i] = sum; }} }}\n"
    )


def expected(name: str, x: np.ndarray, y: np.ndarray, n: int, m: int) -> np.ndarray:
    rows, k = x[: n * m].reshape(n, m), np.arange(m, dtype=x.dtype)
    others = {"shared": y[:m], "by_lane": y[:n, None]}.get(name, 1 if len(y) < n * m else y[: n * m].reshape(n, m))
    terms = {
        "plain": rows,
        "squares": rows * rows,
        "scaled": (3 * rows + x.dtype.type(n)) * 2,
        "by_iteration": rows * k,
    }.get(name, rows * others)
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
            x = random.integers(0, 20, n * m).astype(dtype)
            y = random.integers(0, 20, max(n, m) if name == "shared" else n * m).astype(dtype)
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


FILLED = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
NARROW = ["int8", "uint8", "int16", "uint16", "int", "unsigned int"]
DTYPES: dict[str, Any] = {
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
}
TAKEN = {
    "least": ("x[i]", "v = min(v, x[i * m + k]);", np.minimum),
    "most": ("0", "v = max(v, x[i * m + k]);", np.maximum),
    "less": ("x[i]", "if (x[i * m + k] < v) v = x[i * m + k];", np.minimum),
    "no_less": ("0", "if (v <= x[i * m + k]) v = x[i * m + k];", np.maximum),
    "common": ("-1", "v &= x[i * m + k];", np.bitwise_and),
    "any": ("0", "v |= x[i * m + k];", np.bitwise_or),
    "odd": ("0", "v ^= x[i * m + k];", np.bitwise_xor),
    "wrapped": ("1", "v += x[i * m + k];", np.add),
}


def taken(name: str, element: str) -> str:
    first, change, _ = TAKEN[name]
    return (
        f"export void {name}(uniform {element} to[], const uniform {element} x[], uniform int n, uniform int m) {{ "
        f"foreach (i = 0 ... n) {{ {element} v = {first}; for (uniform int k = 0; k < m; k++) {{ {change} }} to[i] = v; }} }}\n"
    )


@pytest.mark.parametrize(("element", "target"), some_pairs(NARROW, FILLED, 3))
def test_extremes_and_bits_of_rows_are_put_together_by_parts(element: str, target: str) -> None:
    """Rows shorter than a part, of one, and with a last part that overlaps; between guard pages."""
    random, dtype = np.random.default_rng(2), DTYPES[element]
    kernels = JudgedKernels("".join(taken(name, element) for name in TAKEN), target)
    low, high = (int(each) for each in (np.iinfo(dtype).min // 40, np.iinfo(dtype).max // 40))
    for name, (first, _, function) in TAKEN.items():
        for n, m in ((3, 3), (16, 16), (5, 19), (9, 37)):
            x = random.integers(low, high, n * m, endpoint=True).astype(dtype)
            start = x[:n] if first == "x[i]" else np.full(n, int(first)).astype(dtype)
            wanted = function(start, function.reduce(x.reshape(n, m), axis=1, dtype=dtype)).astype(dtype)
            kernels.expect(name, [np.zeros(n, dtype), x], (n, m), wanted, interpreted=m == 19)
    kernels.check()


@pytest.mark.parametrize("element", NARROW)
@pytest.mark.parametrize("name", ["most", "less", "no_less"])
def test_parts_of_narrow_elements_fill_16_bytes(name: str, element: str) -> None:
    text = passed(taken(name, element), "")
    count = 16 // np.dtype(DTYPES[element]).itemsize
    assert ".rows.folded:" in text and f"load <{count} x i{128 // count}>" in text


@pytest.mark.parametrize(("element", "target"), some_pairs(["int8", "uint8", "int16", "uint16"], FILLED, 3))
def test_narrow_elements_are_summed_in_32_bits(element: str, target: str) -> None:
    dtype = DTYPES[element]
    source = (
        f"export void wide(uniform int to[], const uniform {element} x[], const uniform {element} y[], uniform int n, "
        "uniform int m) { foreach (i = 0 ... n) { int v = 0; for (uniform int k = 0; k < m; k++) "
        "v += (int)x[i * m + k] * (int)y[k]; to[i] = v; } }\n"
    )
    kernels, random, limits = JudgedKernels(source, target), np.random.default_rng(5), np.iinfo(dtype)
    low, high = max(limits.min, -9000), min(limits.max, 9000)
    for n, m in ((3, 3), (16, 4), (19, 7), (9, 22)):
        x, y = (random.integers(low, high, size, endpoint=True).astype(dtype) for size in (n * m, m))
        wanted = (x.reshape(n, m).astype(np.int32) * y).sum(axis=1, dtype=np.int32)
        kernels.expect("wide", [np.zeros(n, np.int32), x, y], (n, m), wanted, interpreted=m == 7)
    kernels.check()
