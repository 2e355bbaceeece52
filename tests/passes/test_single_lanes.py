"""Accesses of which one lane is on: that lane's alone, in order, and none where no lane is on."""

from __future__ import annotations

import re

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
TYPES = {"int": np.int32, "uint8": np.uint8, "int64": np.int64, "float": np.float32, "double": np.float64, "int16": np.int16}
SOURCE = """
export void in_turn(uniform T to[], const uniform T v[], const uniform int at[], uniform int n, uniform int k) {
    foreach (i = 0 ... n) {
        int place = at[i];
        T x = v[i];
        if (place >= 0) {
            foreach_active (lane) {
                to[place] = to[place] * 2 + x;
            }
        }
    }
}
export void if_inside(uniform T to[], const uniform T v[], const uniform int at[], uniform int n, uniform int k) {
    foreach (i = 0 ... n) {
        int place = at[i];
        foreach_active (lane) {
            if (place >= 0) {
                to[place] += v[place] + v[i];
                if (v[i] == 3)
                    to[n + place] = v[i];
            }
        }
    }
}
export void greatest(uniform T to[], const uniform T v[], const uniform int at[], uniform int n, uniform int k) {
    foreach (i = 0 ... n) {
        int place = at[i];
        T x = v[i];
        foreach_active (lane) {
            if (place >= 0 && x != 2)
                if (to[place] < x) {
                    to[place] = x;
                    to[n + place] += 1;
                }
        }
    }
}
export void one(uniform T to[], const uniform T v[], const uniform int at[], uniform int n, uniform int k) {
    foreach (i = 0 ... n) {
        if (programIndex == 2)
            to[i] = v[i] + 1;
        if (programIndex == k) {
            T x = v[max(at[i], 0)];
            to[i + n] = x + x;
        }
    }
}
"""


def expected(name: str, to: np.ndarray, v: np.ndarray, at: np.ndarray, k: int, width: int) -> np.ndarray:
    to, n = to.copy(), len(at)
    for i, place in enumerate(at):
        if name == "in_turn" and place >= 0:
            to[place] = to[place] * 2 + v[i]
        elif name == "if_inside" and place >= 0:
            to[place] += v[place] + v[i]
            if v[i] == 3:
                to[n + place] = v[i]
        elif name == "greatest" and place >= 0 and v[i] != 2 and to[place] < v[i]:
            to[place] = v[i]
            to[n + place] += 1
        elif name == "one":
            if i % width == 2:
                to[i] = v[i] + 1
            if i % width == k:
                to[i + n] = 2 * v[max(place, 0)]
    return to


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, 4))
def test_one_lane_after_the_other(kind: str, target: str) -> None:
    """With places of lanes that are off far outside of the array."""
    dtype = TYPES[kind]
    judged = JudgedKernels(SOURCE.replace("T ", f"{kind} "), target)
    rng = np.random.default_rng(9)
    for n, k in ((judged.width, 1), (2 * judged.width + 3, judged.width), (judged.width - 1, -1)):
        at = np.where(rng.random(n) < 0.3, -(1 << 30), rng.integers(0, min(n, 5), n)).astype(np.int32)
        v, to = rng.integers(0, 5, n).astype(dtype), rng.integers(0, 4, 2 * n).astype(dtype)
        for name in ("in_turn", "if_inside", "greatest", "one"):
            with np.errstate(over="ignore"):
                wanted = expected(name, to, v, at, k, judged.width)
            judged.expect(name, [to.copy(), v, at], (n, k), wanted, interpreted=k == 1 and name != "one")
    judged.check()


def test_what_is_written() -> None:
    """Scalars: of lanes whose numbers are known no gather is left, nor a scatter; a lane that nobody asked for may be none."""
    one = SOURCE[SOURCE.index("export void one") :].replace("T ", "int ")
    text = passed(SOURCE[: SOURCE.index("export void if_inside")].replace("T ", "int "), "avx2-i32x8")
    assert text.count("= load i32, ptr %of.lane") >= 2
    assert "masked.gather" not in text and "masked.scatter" not in text
    asked = passed(one, "avx2-i32x8").partition(".finished:")[0]
    assert asked.count("  store i32 ") == 2 and asked.count("@llvm.masked") == 0
    assert (
        "@llvm.masked" in passed(one.replace("programIndex == k", "programIndex <= k"), "avx2-i32x8").partition(".finished:")[0]
    )
    # What a lane alone asks of what it alone loaded is asked in scalars.
    greatest = SOURCE[SOURCE.index("export void greatest") : SOURCE.index("export void one")].replace("T ", "int ")
    assert re.search(r"icmp slt i32 %of\.lane[.\d]*, %of\.lane", passed(greatest, "avx2-i32x8").partition(".finished:")[0])
    # Lanes of what is consecutive are loaded where the vector is.
    assert "extractelement" not in passed(greatest, "avx2-i32x8").partition(".finished:")[0]


def test_other_lanes_than_the_one_that_was_asked() -> None:
    """Within ``unmasked``, where a lane's condition says nothing of another's."""
    source = """
export void f(uniform int to[], const uniform int v[], uniform int k) {
    int x = v[programIndex];
    if (programIndex == 2 && x > 0) {
        unmasked {
            if (programIndex == 3 && v[8 + programIndex] < x)
                to[programIndex] = x;
            if (programIndex == k)
                to[8 + programIndex] = x > 0 ? 1 : 2;
        }
    }
}
"""
    judged = JudgedKernels(source)
    for third, other, k in ((5, 4, 3), (5, 6, 1), (-5, 4, 8), (-5, -6, 3)):
        v = np.array([-1, -2, 1, third, -4, 5, 6, 7] + [other] * 8, np.int32)
        to = np.zeros(16, np.int32)
        wanted = to.copy()
        if other < third:
            wanted[3] = third
        if 0 <= k < 8:
            wanted[8 + k] = 1 if v[k] > 0 else 2
        judged.expect("f", [to, v], (k,), wanted, interpreted=True)
    judged.check()
