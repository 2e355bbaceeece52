"""Loops that clear one bit after the other: their counts, and what is no such loop."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

SOURCE = """export void f(uniform int a[], const uniform {kind} b[], uniform int n) {{
    foreach (i = 0 ... n) {{
        {kind} v = b[i];
        int k = i & 3, t = 0;
        {loop}
        a[i] = k + 100 * t;
    }}
}}
"""
LOOPS = {
    "while (v != 0) { v &= v - 1; k++; }": lambda ones, i: (i & 3) + ones,
    "while (v) { v = (v - 1) & v; k += 3; t++; }": lambda ones, i: (i & 3) + 103 * ones,
    "if (i % 3 != 1) while (v != 0) { v &= v - 1; t++; }": lambda ones, i: (i & 3) + 100 * np.where(i % 3 != 1, ones, 0),
}
OTHERS = [
    "while (v != 0 && t < 5) { v &= v - 1; t++; }",
    "while (v != 0) { if (t < 5) v &= v - 1; else v = 0; t++; }",
    "while (v != 0) { v &= v - 1; if ((v & 1) != 0) t++; }",
    "while (v > 1) { v &= v - 1; t++; }",
    "while (v != 0) { v &= v - 2; t++; if (v == 1) v = 0; }",
    "while (v != 0) { v &= v - 1; t++; } k = (int)v;",
]


def written(loop: str, kind: str = "unsigned int", target: str = "avx2-i32x8") -> str:
    watch = Watch(passes=PassRuns(stop_after="count_bits"))
    source = SOURCE.format(kind=kind, loop=loop)
    made = compile_source(source, "f.ispc", Options(find_target(target), level=2), Diagnostics(), watch=watch).stopped
    assert made is not None
    return made


def numbers(kind: str, n: int) -> np.ndarray:
    random, bits = np.random.default_rng(8), 64 if "64" in kind else 32
    made = random.integers(0, 1 << bits, n, dtype=np.uint64) >> random.integers(0, bits + 1, n, dtype=np.uint64).clip(0, 63)
    made[:4] = [0, (1 << bits) - 1, 1 << (bits - 1), 1]
    given: np.ndarray = made.astype(f"uint{bits}").view(f"{'uint' if kind[0] == 'u' else 'int'}{bits}")
    return given


@pytest.mark.parametrize(
    ("loop", "kind", "target"),
    [
        *((loop, "unsigned int", "avx2-i32x8") for loop in LOOPS),
        (next(iter(LOOPS)), "unsigned int64", "avx2-i32x8"),
        (next(iter(LOOPS)), "unsigned int", "sse4-i32x4"),
        (list(LOOPS)[1], "unsigned int", "avx512skx-x16"),
    ],
)
def test_ones(loop: str, kind: str, target: str) -> None:
    assert "@llvm.ctpop" in written(loop, kind, target)
    n = 3 * find_target(target).width + 5
    b, a = numbers(kind, n), np.zeros(n, np.int32)
    compile_kernels(SOURCE.format(kind=kind, loop=loop), target).f(a, b, n)
    ones = np.array([int(each).bit_count() for each in b])
    assert (a == LOOPS[loop](ones, np.arange(n))).all()


@pytest.mark.parametrize("loop", OTHERS)
def test_other_loops_stay(loop: str) -> None:
    assert "@llvm.ctpop" not in written(loop)
