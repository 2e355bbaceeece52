"""Neighbouring members that each lane stores alone are stored two at a time: what lies between is not touched."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

SOURCE = """
struct Four { float x, y, z; int kind; };
struct Five { float a, b, c, d, e; };
export void three(uniform Four to[], const uniform float from[], uniform int n) {
    foreach (i = 0 ... n) {
        to[i].x = from[i];
        to[i].y = from[i] + 1;
        to[i].z = from[i] + 2;
    }
}
export void some(uniform Four to[], const uniform float from[], uniform int n) {
    foreach (i = 0 ... n)
        if (from[i] > 4) {
            to[i].y = from[i];
            to[i].z = -from[i];
            to[i].kind = 3;
        }
}
export void across(uniform Five to[], const uniform float from[], uniform int n) {
    foreach (i = 0 ... n - 1)
        if (from[i] > 3) {
            to[i].e = from[i];
            to[i + 1].a = from[i] * 2;
        }
}
"""
FOUR = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32), ("kind", np.int32)])
FIVE = np.dtype([(name, np.float32) for name in "abcde"])
TARGETS = ["sse4-i32x4", "sse4-i32x8", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16", "avx512skx-x4"]


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_between_stays(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    for n in (1, 6, 16, 37):
        given = (np.arange(n) * 5 % 9).astype(np.float32)
        for name, dtype in (("three", FOUR), ("some", FOUR), ("across", FIVE)):
            start = (np.arange(n * dtype.itemsize // 4) + 100).astype(np.int32).view(dtype)
            wanted = start.copy()
            if name == "three":
                wanted["x"], wanted["y"], wanted["z"] = given, given + 1, given + 2
            elif name == "some":
                on = given > 4
                wanted["y"][on], wanted["z"][on], wanted["kind"][on] = given[on], -given[on], 3
            else:
                places = np.flatnonzero(given[:-1] > 3)
                wanted["e"][places], wanted["a"][places + 1] = given[places], 2 * given[places]
            calls = FencedCalls()
            found, source = start.copy(), given
            if not isinstance(kernels, InterpretedModule):
                found, source = calls.copies(start, given, at_end=n % 2 == 0)
            getattr(kernels, name)(found, source, n)
            assert found.tobytes() == wanted.tobytes(), (name, n)


@pytest.mark.parametrize("target", ["avx2-i32x4", "avx2-i32x8"])
def test_two_members_are_one_store(target: str) -> None:
    three = SOURCE.partition("export void some")[0]
    made = compile_source(three, "f.ispc", Options(find_target(target), level=3)).results["passes"]
    assert made.count("store double") >= int(target.rpartition("x")[2])
