"""Buffers that change places from step to step are counted from their arrays: apart from others, perhaps one and the same."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels

from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import find_target

STEPS = """export void steps(uniform int a[], const uniform uint8 b[], uniform int n, uniform int times) {
    uniform int *uniform from = a, *uniform to = a + n;
    for (uniform int t = 0; t < times; t++) {
        foreach (i = 0 ... n)
            to[i] = 2 * from[i] + b[n - 1 - i];
        uniform int *uniform before = from;
        from = to;
        to = t % 3 == KEEP ? to : before;
    }
}
"""


def expected(a: np.ndarray, b: np.ndarray, n: int, times: int, keep: int) -> list[int]:
    halves, source, target = [a[:n].copy(), a[n:].copy()], 0, 1
    for step in range(times):
        halves[target] = 2 * halves[source] + b[::-1]
        source, target = target, target if step % 3 == keep else source
    return [int(each) for half in halves for each in half]


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"])
@pytest.mark.parametrize("keep", [1, 3])
def test_steps_between_two_buffers_and_in_place(target: str, keep: int) -> None:
    random = np.random.default_rng(keep)
    steps = compile_kernels(STEPS.replace("KEEP", str(keep)), target)
    for n in (1, 7, 8, 29, 47, 70):
        a, b = random.integers(0, 9, 2 * n).astype(np.int32), random.integers(0, 9, n).astype(np.uint8)
        if isinstance(steps, InterpretedModule):
            found = a.copy()
            steps.steps(found, b, n, 6)
        else:
            calls = FencedCalls()
            found, given = calls.copies(a, b, at_end=True)
            steps.steps(found, given, n, 6)
        assert found.tolist() == expected(a, b, n, 6, keep)


def test_the_last_gang_is_a_whole_one_where_the_buffers_are_apart() -> None:
    options = Options(find_target("avx2-i32x8"), level=3)
    text = compile_source(STEPS.replace("KEEP", "3"), "f.ispc", options, end="passes").results["passes"]
    assert ".last" in text
