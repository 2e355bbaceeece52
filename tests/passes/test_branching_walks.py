"""Loops with branches in which lanes go ways of their own: one lane after the other, with the same results."""

import numpy as np
import pytest
from kernels import compile_kernels

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch
from voltac.target_info import find_target

TREE = """export void walk(uniform int a[], const uniform float b[], const uniform float split[],
                 uniform int nodes, uniform int n) {
    foreach (i = 0 ... n) {
        int stack[16];
        int top = 0, count = 0;
        float x = b[i];
        stack[top++] = 0;
        while (top > 0) {
            int node = stack[--top];
            float s = split[node];
            count += node + 1;
            if (2 * node + 2 < nodes) {
                if (x < s + 0.2f)
                    stack[top++] = 2 * node + 1;
                if (x > s - 0.2f)
                    stack[top++] = 2 * node + 2;
            }
        }
        a[i] = count;
    }
}
"""
SHARED = (
    TREE.replace("int stack[16];", "")
    .replace("stack[", "heap[16 * i + ")
    .replace("uniform float split[]", "uniform float split[], uniform int heap[]")
)
OTHERS = TREE.replace("if (x < s + 0.2f)\n", "if (any(x < s + 0.2f))\n")
COUNTED = TREE.replace("count += node + 1;", "if (any(x < s)) count += node + 1;")
NEIGHBOURS = TREE.replace("count += node + 1;", "count += rotate(node, 1) + 1;")
NODES = 127


def written(source: str, target: str) -> str:
    watch = Watch(passes=PassRuns(stop_after="walk_branches"))
    made = compile_source(source, "f.ispc", Options(target=find_target(target), level=3), Diagnostics(), watch=watch).stopped
    assert made is not None
    return made


def walked(x: float, split: np.ndarray) -> int:
    stack, count = [0], 0
    while stack:
        node = stack.pop()
        count += node + 1
        if 2 * node + 2 < NODES:
            if x < np.float32(split[node] + np.float32(0.2)):
                stack.append(2 * node + 1)
            if x > np.float32(split[node] - np.float32(0.2)):
                stack.append(2 * node + 2)
    return count


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16"])
def test_walks_along_trees(target: str) -> None:
    rng = np.random.default_rng(2)
    for n in (0, 5, 8, 61):
        b, split = rng.random(n).astype(np.float32), rng.random(NODES).astype(np.float32)
        found = np.zeros(n, np.int32)
        compile_kernels(TREE, target).walk(found, b, split, NODES, n)
        assert found.tolist() == [walked(x, split) for x in b]
    assert ".lane.body" in written(TREE, target)


TWO = """export void f(uniform int a[], const uniform int next[], uniform int n) {
    foreach (i = 0 ... n) {
        int at = i, steps = 0, sum = 0;
        while (at != 0) {
            at = next[at];
            steps++;
            sum += at;
        }
        a[i] = 1000 * steps + sum;
    }
}
"""


@pytest.mark.parametrize("n", [5, 16])
def test_results_that_begin_alike_stay_apart(n: int) -> None:
    """Of loops without branches, too: what a lane ends with goes through memory."""
    following = np.arange(16, dtype=np.int32) // 2
    found = np.zeros(n, np.int32)
    compile_kernels(TWO, "avx2-i32x8").f(found, following, n)
    for i in range(n):
        way = [i]
        while way[-1]:
            way.append(way[-1] // 2)
        assert found[i] == 1000 * (len(way) - 1) + sum(way[1:])


@pytest.mark.parametrize("source", [SHARED, OTHERS, COUNTED, NEIGHBOURS], ids=["memory", "stores", "values", "lanes"])
def test_loops_whose_lanes_ask_for_others_stay(source: str) -> None:
    assert ".lane.body" not in written(source, "avx2-i32x8")


LIFTING = """export void f(uniform int a[], const uniform int up[], const uniform int steps[], uniform int n) {
    foreach (i = 0 ... n) {
        int at = i, left = steps[i], level = 0;
        while (left > 0) {
            if (left & 1)
                at = up[64 * level + at];
            left >>= 1;
            level++;
        }
        a[i] = at;
    }
}
"""


def test_single_loads_under_a_condition_are_left_to_the_gang() -> None:
    """No lane's way is foreseen, and there is little else to do."""
    above = np.maximum(np.arange(64) * 9 // 10, 0)
    up = [above]
    while len(up) < 6:
        up.append(up[-1][up[-1]])
    steps = np.random.default_rng(4).integers(0, 64, 61).astype(np.int32)
    found = np.zeros(61, np.int32)
    compile_kernels(LIFTING, "avx2-i32x8").f(found, np.concatenate(up).astype(np.int32), steps, 61)
    for i, count in enumerate(steps):
        at = i
        for _ in range(count):
            at = int(above[at])
        assert found[i] == at
    assert ".lane.body" not in written(LIFTING, "avx2-i32x8")
