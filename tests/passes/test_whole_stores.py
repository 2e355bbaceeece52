"""Masked stores in loops: whole vectors while all lanes are on, and never a byte of a lane that is off."""

import numpy as np
import pytest
from kernels import compile_kernels
from passed_text import passed

SOURCE = """
export void scaled(uniform float a[], uniform float r[], uniform int n) {
    foreach (i = 0 ... n) { float x = a[i]; if (x > 0) r[i] = x * 2; }
}
export void both(uniform float a[], uniform float r[], uniform int8 s[], uniform int n) {
    foreach (i = 0 ... n) {
        float sum = a[i];
        for (uniform int k = 0; k < 3; ++k) {
            if (sum > 0) r[i] = sum; else s[i] = (int8)k;
            sum -= 1;
        }
        if (sum > 2) r[i] = 0;
    }
}
"""


@pytest.mark.parametrize("target", ["sse4-i32x4", "sse4-i32x8", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
def test_results_are_those_of_numpy(target: str) -> None:
    kernels = compile_kernels(SOURCE, target=target)
    random = np.random.default_rng(1)
    for n in (0, 1, 37, 200):
        for a in (random.standard_normal(n), np.ones(n), -np.ones(n), np.repeat(random.standard_normal(n), 16)[:n] * 3):
            a = a.astype(np.float32)
            r = np.full(n, 7, np.float32)
            kernels.scaled(a, r, n)
            assert (r == np.where(a > 0, a * 2, 7)).all()
            r, s = np.full(n, 7, np.float32), np.zeros(n, np.int8)
            expected, last = r.copy(), s.copy()
            kernels.both(a, r, s, n)
            total = a.copy()
            for k in range(3):
                expected, last = np.where(total > 0, total, expected), np.where(total > 0, last, k)
                total -= 1
            assert (r == np.where(total > 2, 0, expected)).all() and (s == last).all()


def test_whole_stores_are_only_made_where_masked_ones_are_slow() -> None:
    fast = compile_kernels(SOURCE, target="avx512skx-x16").scaled.assembly()
    slow = compile_kernels(SOURCE, target="avx2-i32x8").scaled.assembly()
    assert "vmaskmovps" in slow and "vmaskmovps" not in fast
    stores = [line for line in slow.splitlines() if "vmovups\t%ymm" in line and "(" in line]
    assert stores, "a plain store of a vector beside the masked one"


def test_the_store_is_skipped_where_no_lane_may_be_on() -> None:
    """Of the rest, which is there if a lane is on, nothing is asked."""
    rows = "export void f(uniform float a[], uniform float b[], uniform int n, uniform int m) {"
    condition = passed(f"{rows} foreach (i = 0 ... n) if (b[i] > 0) a[i] = b[i]; }}", "avx2-i32x8")
    rest = passed(f"{rows} for (uniform int y = 0; y < m; y++) foreach (i = 0 ... n) a[i] = a[i + 1] + b[y]; }}", "avx2-i32x8")
    assert [text.count("masked.some:") for text in (condition, rest)] == [1, 0] and "masked.part:" in rest
