"""Sums of what holds a condition: the same bits as of sums under the condition, of zeros, infinities and NaN, too."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
TYPES = {"float": (np.float32, "int", np.int32), "double": (np.float64, "int64", np.int64)}
STARTS = {"of_zero": "0", "of_negative": "-0.0", "of_one": "1"}
SOURCE = "inline B bits(T x) { return x == x ? (B)intbits(x) : 1; }\n" + "".join(
    f"""
export void {name}(uniform B to[], const uniform T v[], const uniform int ends[], uniform int n) {{
    foreach (i = 0 ... n) {{
        T sum = {start}, left = {start}, product = {start}, quotient = {start}, both = {start};
        for (int k = ends[i]; k < ends[i + 1]; k++) {{
            T x = v[k];
            if (x != 2) sum += x;
            if (x >= 0) left -= x; else both += x;
            if (!(x < 0)) product *= x;
            if (x > 0) quotient /= x;
            if (x != 3) both -= x;
        }}
        to[5 * i] = bits(sum); to[5 * i + 1] = bits(left); to[5 * i + 2] = bits(product);
        to[5 * i + 3] = bits(quotient); to[5 * i + 4] = bits(both);
    }}
}}
"""
    for name, start in STARTS.items()
)
VALUES = np.array([0.0, -0.0, 2, 3, -1, 1e-30, -1e-30, 5e-324, np.inf, np.nan])
WEIGHTS = np.array([5, 5, 3, 3, 1, 1, 1, 1, 0.3, 0.3])


def summed(start: Any, row: np.ndarray) -> list[Any]:
    sums = left = product = quotient = both = start
    for x in row:
        sums = sums + x if x != 2 else sums
        left = left - x if x >= 0 else left
        both = both if x >= 0 else both + x
        product = product if x < 0 else product * x
        quotient = quotient / x if x > 0 else quotient
        both = both - x if x != 3 else both
    return [sums, left, product, quotient, both]


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, 4))
def test_bits_are_those_of_sums_under_conditions(kind: str, target: str) -> None:
    """Rows of several lengths, of which most end in a zero of either sign."""
    number, name_of_bits, bits = TYPES[kind]
    dtype = np.dtype(number)
    text = SOURCE.replace("T ", f"{kind} ").replace("B ", f"{name_of_bits} ").replace("(B)", f"({name_of_bits})")
    judged = JudgedKernels(text, target)
    rng = np.random.default_rng(5)
    n = 2 * judged.width + 3
    ends = np.concatenate([[0], np.cumsum(rng.integers(0, 5, n))]).astype(np.int32)
    v = rng.choice(VALUES, ends[-1], p=WEIGHTS / WEIGHTS.sum()).astype(dtype)
    for name, start in STARTS.items():
        with np.errstate(all="ignore"):
            wanted = [summed(dtype.type(start), v[low:high]) for low, high in pairwise(ends)]
        numbers = np.array(wanted, dtype).ravel()
        numbers = np.where(np.isnan(numbers), 1, numbers.view(bits))
        arrays = [np.zeros(5 * n, bits), v, ends]
        judged.expect(name, arrays, (n,), numbers, interpreted=name != "of_one")
    judged.check()


def test_the_sum_waits_for_no_selection() -> None:
    """Of what is summed up; where the condition hangs on the sum before, and where what began was loaded, nothing is gained."""
    text = """
export void f(uniform float to[], const uniform float v[], const uniform int ends[], uniform int n) {
    foreach (i = 0 ... n) {
        float s = 0;
        for (int k = ends[i]; k < ends[i + 1]; k++) if (v[k] > 0.5f) s += v[k];
        to[i] = s;
    }
}
"""
    zero = "float 0.000000e+00, !unpredictable"
    assert passed(text, "avx2-i32x8").count(zero) == 9
    assert passed(text.replace("s = 0", "s = 1"), "avx2-i32x8").count("float -0.000000e+00, !unpredictable") == 9
    assert zero not in passed(text.replace("v[k] > 0.5f", "s + v[k] < 9.5f"), "avx2-i32x8")
    assert "-0.000000e+00" not in passed(text.replace("s = 0", "s = to[i]"), "avx2-i32x8")
