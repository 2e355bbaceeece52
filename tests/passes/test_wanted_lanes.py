"""Selections of which a store wants one arm are that arm: numpy's results, and where the other is wanted too they stay."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

SOURCE = """
export void both(uniform uint32 a[], const uniform uint32 b[], uniform int n) {
    foreach (i = 0 ... n) {
        uint32 x = b[i];
        if (x & 1) { x = x * 3 + 1; a[i] = (x ^ (x >> 3)) * 7; }
        else { x += 9; x ^= 5; a[i] = x >> 1; }
    }
}
export void twice(uniform uint32 a[], const uniform uint32 b[], uniform int n) {
    foreach (i = 0 ... n) {
        uint32 x = b[i];
        if (x > 100) { x = x * 3; if (x & 4) { x += 5; a[i] = x * 7; } }
        a[i] += x;
    }
}
export void divided(uniform int a[], const uniform int b[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = 1;
        if (b[i] != 0) { x = b[i]; a[i] = 1000 / x + 1000 % x; }
    }
}
export void floats(uniform float a[], const uniform float b[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = b[i], y = 2;
        if (x < 0) { x = -x; y = x * 4; }
        a[i] = x + y;
        if (y > 3) { x -= 3; a[i] = x * y; }
    }
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_the_same_results(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    random = np.random.default_rng(1)
    for n in (1, 16, 37):
        b, a = random.integers(0, 1 << 32, n, np.uint32), np.zeros(n, np.uint32)
        b[: n // 2] %= 200
        with np.errstate(over="ignore"):
            x = b * np.uint32(3) + np.uint32(1)
            kernels.both(a, b, n)
            assert (
                a == np.where(b & 1, (x ^ (x >> np.uint32(3))) * np.uint32(7), ((b + np.uint32(9)) ^ np.uint32(5)) // 2)
            ).all()
            a[:] = before = random.integers(0, 100, n, np.uint32)
            kernels.twice(a, b, n)
            large = b > 100
            x = np.where(large, b * np.uint32(3), b)
            inner = large & ((x & 4) != 0)
            x = np.where(inner, x + np.uint32(5), x)
            assert (a == np.where(inner, x * np.uint32(7), before) + x).all()
        divisors, quotients = random.integers(-3, 4, n).astype(np.int32), np.zeros(n, np.int32)
        kernels.divided(quotients, divisors, n)
        safe = np.where(divisors, divisors, 1).astype(float)
        whole = np.trunc(1000 / safe)
        assert (quotients == np.where(divisors, whole + 1000 - whole * safe, 0)).all()
        f, to = random.integers(-9, 9, n).astype(np.float32), np.zeros(n, np.float32)
        kernels.floats(to, f, n)
        y = np.where(f < 0, abs(f) * 4, 2)
        assert (to == np.where(y > 3, (abs(f) - 3) * y, abs(f) + y)).all()


def test_what_one_side_computes_selects_nothing() -> None:
    watch = Watch(passes=PassRuns(stop_after="choose_wanted"))
    source = SOURCE[: SOURCE.index("export void twice")]
    text = compile_source(source, "f.ispc", Options(find_target("avx2-i32x8"), 3), Diagnostics(), watch=watch).stopped
    assert text is not None
    whole = text[text.index(".all_on:") : text.index(".finished:")]
    assert "@volta.scatter" in whole and whole.count(" = select <8 x i1>") <= 1  # of what is stored
