"""Lanes that go alone, of which only some begin the loop, and which leave it in the midst of an iteration."""

from __future__ import annotations

import re

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from passed_text import passed
from some_pairs import some_pairs

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"]
TYPES = {"int": np.int32, "float": np.float32, "int64": np.int64, "uint8": np.uint8}
HEAD = "(uniform int to[], const uniform T v[], const uniform int next[], const uniform int ends[], uniform int n)"
FIRST = """
export void first HEAD {
    foreach (i = 0 ... n) {
        int at = -1, seen = 0;
        if (v[next[ends[i]]] != 2)
            for (int k = ends[i]; k < ends[i + 1]; k++) {
                if (v[next[k]] == 1) { at = k; seen += 100; break; }
                seen += next[k] & 3;
            }
        to[2 * i] = at; to[2 * i + 1] = seen;
    }
}
"""
CHAIN = """
export void chain HEAD {
    foreach (i = 0 ... n) {
        int at = ends[i] % n, turns = 0;
        if (v[at] != 1)
            while (turns < 9) {
                turns++;
                if (v[at] == 0) {
                    if (next[at] == ends[i]) { turns += 50; break; }
                    at = next[next[at] % n] % n;
                } else if (v[at] == 3)
                    break;
                else
                    at = (at + 1) % n;
            }
        to[2 * i] = at; to[2 * i + 1] = turns;
    }
}
"""
SOURCE = (FIRST + CHAIN).replace("HEAD", HEAD)


def first(v: np.ndarray, following: np.ndarray, ends: np.ndarray, i: int) -> tuple[int, int]:
    seen = 0
    if v[following[ends[i]]] != 2:
        for k in range(ends[i], ends[i + 1]):
            if v[following[k]] == 1:
                return k, seen + 100
            seen += following[k] & 3
    return -1, seen


def chain(v: np.ndarray, following: np.ndarray, ends: np.ndarray, i: int) -> tuple[int, int]:
    n = len(ends) - 1
    at, turns = int(ends[i]) % n, 0
    while v[ends[i] % n] != 1 and turns < 9:
        turns += 1
        if v[at] == 0:
            if following[at] == ends[i]:
                return at, turns + 50
            at = int(following[following[at] % n]) % n
        elif v[at] == 3:
            break
        else:
            at = (at + 1) % n
    return at, turns


@pytest.mark.parametrize(("kind", "target"), some_pairs(TYPES, TARGETS, 4))
def test_each_lane_leaves_where_it_would_alone(kind: str, target: str) -> None:
    judged = JudgedKernels(SOURCE.replace("T ", f"{kind} "), target)
    rng = np.random.default_rng(7)
    for n in (judged.width, 2 * judged.width + 3):
        ends = np.concatenate([[0], np.cumsum(rng.integers(0, 6, n))]).astype(np.int32)
        ends[-1] += 1
        v = rng.choice(4, n, p=[0.4, 0.2, 0.3, 0.1]).astype(TYPES[kind])
        following = rng.integers(0, n, ends[-1] + 1).astype(np.int32)
        following = np.resize(following, max(len(following), n))
        for function in (first, chain):
            wanted = np.array([function(v, following, ends, i) for i in range(n)], np.int32).ravel()
            arrays = [np.zeros(2 * n, np.int32), v, following, ends]
            judged.expect(function.__name__, arrays, (n,), wanted, interpreted=n == judged.width)
    judged.check()


def test_the_branch_says_it() -> None:
    """A search carries on neither whether it found, nor where: both are what the way out of the loop says."""
    text = passed(FIRST.replace("HEAD", HEAD).replace("T ", "int "), "avx2-i32x8")
    assert text.count(".lane.test:\n") == 2
    assert text.count("%stays") == 4
    # The place is what it was at the beginning for who comes to the test.
    assert len(re.findall(r"(%\S+) = phi i32 \[ -1, [^]]*\], \[ \1, ", text)) == 2
