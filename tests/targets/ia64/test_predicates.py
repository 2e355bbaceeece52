"""Nested conditions in predicates: large branches in pipelines, comparisons under others, spilled predicates (IA-64 14)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

F, W = np.float32, np.int32
TARGETS = ("ia64-x1", "ia64-f32x2", "ia64-i8x8", "ia64-i16x4")

STEPS = """
export void steps(uniform float a[], uniform float b[], uniform float o[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i], y = b[i], r = 0;
        if (x > 0) {
            if (y > 0) {
                r = x * y + 1;
                if (r > 100) r = 100;
            } else {
                r = x - y;
                o[i] = r;
            }
            r += 2;
        } else {
            if (x < -10) r = y;
            else if (y != 3) { r = x + y * 2; b[i] = 9; }
        }
        if (r != 0 && (x > 5 || y > 5)) o[i] = r;
    }
}
"""
LIMITS = """
export void limits(uniform int a[], uniform int b[], uniform int o[], uniform int n) {
    foreach (i = 0 ... n) {
        int x = a[i];
        if (x < 0) {
            x = -x;
            if (x > 50) { x = 50; b[i] = x; }
        } else if (x > 40) {
            x = 40 + (x & 3);
            if (x == 41) b[i] += 5;
            else b[i] -= x * 2;
        }
        o[i] = x;
    }
}
"""


def compiled(text: str, target: str, folder: Path) -> Any:
    path = folder / "k.ispc"
    path.write_text(text)
    return voltac.load(path, target=target)


def stepped(a: Any, b: Any, out: Any, n: int) -> None:
    """What the program says, one number after the other; all are whole, and small."""
    for i in range(n):
        x, y, r = a[i], b[i], F(0)
        if x > 0:
            if y > 0:
                r = min(x * y + 1, F(100))
            else:
                r = out[i] = x - y
            r += 2
        elif x < -10:
            r = y
        elif y != 3:
            r, b[i] = x + y * 2, 9
        if r != 0 and (x > 5 or y > 5):
            out[i] = r


def limited(a: Any, b: Any, out: Any, n: int) -> None:
    for i in range(n):
        x = a[i]
        if x < 0:
            x = -x
            if x > 50:
                x = b[i] = 50
        elif x > 40:
            x = 40 + (x & 3)
            b[i] = b[i] + 5 if x == 41 else b[i] - x * 2
        out[i] = x


@pytest.mark.parametrize("target", TARGETS)
def test_nested_branches_do_what_they_say(target: str, tmp_path: Path) -> None:
    k = compiled(STEPS + LIMITS, target, tmp_path)
    rng = np.random.default_rng(3)
    for n in (0, 1, 2, 3, 8, 9, 50):
        for kernel, meaning, dtype, most in ((k.steps, stepped, F, 15), (k.limits, limited, W, 80)):
            a, b = rng.integers(-most, most, n + 1).astype(dtype), rng.integers(-8, 9, n + 1).astype(dtype)
            out, other, wanted = np.full(n + 1, 7, dtype), b.copy(), np.full(n + 1, 7, dtype)
            kernel(a, other, out, n)
            meaning(a, b, wanted, n)
            assert np.array_equal(out, wanted)
            assert np.array_equal(other, b)


def assembly(text: str) -> str:
    return str(compile_source(text, "k.ispc", Options(DEVICES["ia64-x1"], level=2)).results["select"])


def test_large_branches_are_part_of_the_pipeline(tmp_path: Path) -> None:
    """All is one block: as many cycles as the floating-point units need, two of these instructions in each."""
    body = re.search(r"all_on:\n(.*?br\.ctop)", assembly(STEPS), re.DOTALL)
    assert body is not None
    floats = len(re.findall(r"\b(?:fma|fms|fcmp|fmerge)\.", body[1]))
    k = compiled(STEPS, "ia64-x1", tmp_path)
    taken = []
    for n in (100, 300):
        k.steps(np.ones(n, F), np.ones(n, F), np.zeros(n, F), n)
        taken.append(k.steps.last_run.cycles)
    assert taken[1] - taken[0] == 200 * -(-floats // 2)


BOTH = """
export void both(uniform float a[], uniform float b[], uniform float o[], uniform int n) {
    foreach (i = 0 ... n) {
        if (a[i] > 0) {
            if (b[i] > 1) o[i] = 5; else o[i] = a[i];
        }
    }
}
"""


def test_both_outcomes_of_a_nested_condition_are_of_one_comparison(tmp_path: Path) -> None:
    text = assembly(BOTH)
    body = re.search(r"all_on:\n(.*?br\.ctop)", text, re.DOTALL)
    assert body is not None
    assert len(re.findall(r"\(p\d+\)\s+fcmp\.\w+\.unc", body[1])) == len(re.findall("fcmp", body[1])) == 2
    a, b = np.random.default_rng(4).normal(size=(2, 33)).astype(F) + F(0.5)
    out = np.full(33, 7, F)
    compiled(BOTH, "ia64-x1", tmp_path).both(a, b, out, 33)
    assert np.array_equal(out, np.where(a > 0, np.where(b > 1, F(5), a), F(7)))


CALLS = """
noinline uniform int called(uniform int n) { return n > 3 ? called(n - 4) + 1 : n; }
export void many(uniform int a[], uniform int b[], uniform int o[], uniform int n) {
    for (uniform int i = 0; i < n; i++) {
        uniform int x = a[i], y = b[i];
        uniform bool p = x > 3, q = y > x, r = x + y > 9;
        uniform int before = (p ? 1 : 2) + (q ? 10 : 20) + (r ? 100 : 200);
        uniform int k = called(x + before);
        o[i] = before + (p ? k : y) + (q ? x : 3 * k) + (r ? k * 5 : 7);
    }
}
"""


def test_predicates_survive_calls(tmp_path: Path) -> None:
    # A predicate goes to memory as a number.
    assert re.search(r"\(p\d+\)\s+adds r3=1,r0", assembly(CALLS))
    kernels = compiled(CALLS, "ia64-x1", tmp_path)
    a, b = np.random.default_rng(1).integers(0, 10, (2, 40)).astype(W)
    out, wanted = np.zeros(40, W), []
    kernels.many(a, b, out, 40)
    for x, y in zip(a.tolist(), b.tolist()):
        p, q, r = x > 3, y > x, x + y > 9
        before = (1 if p else 2) + (10 if q else 20) + (100 if r else 200)
        k, count = x + before, 0
        while k > 3:
            k, count = k - 4, count + 1
        k += count
        wanted.append(before + (k if p else y) + (x if q else 3 * k) + (k * 5 if r else 7))
    assert out.tolist() == wanted


LOGIC = """
export void logic(uniform int a[], uniform int b[], uniform float c[], uniform int o[], uniform int n) {
    foreach (i = 0 ... n) {
        bool p = a[i] > 3, q = b[i] == 2, r = c[i] < 1, s = c[i] != 0;
        int k = 0;
        if (p && q) k += 1;
        if (p && !q) k += 2;
        if (!p && r) k += 4;
        if ((p || r) != s) k += 8;
        if ((p && r) || (q && s)) k += 16;
        if (!(p && r) && q) k += 32;
        if ((p != q) && (r == s)) k += 64;
        o[i] = k + (p ? 128 : 0) + (q ? 256 : 0);
    }
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_conditions_of_conditions(target: str, tmp_path: Path) -> None:
    k = compiled(LOGIC, target, tmp_path)
    rng = np.random.default_rng(6)
    a, b = rng.integers(0, 8, 64).astype(W), rng.integers(1, 4, 64).astype(W)
    c = rng.choice(np.array([0, -0.0, 1, 0.5, 2, np.nan], F), 64)
    out = np.zeros(64, W)
    k.logic(a, b, c, out, 64)
    p, q, r, s = a > 3, b == 2, c < 1, c != 0
    wanted = [p & q, p & ~q, ~p & r, (p | r) != s, (p & r) | (q & s), ~(p & r) & q, (p != q) & (r == s), p, q]
    assert np.array_equal(out, sum(one.astype(W) << number for number, one in enumerate(wanted)))


def test_gnu_as_takes_nested_conditions(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    for text in (STEPS, LIMITS, BOTH, LOGIC):
        assert refused_by_gnu_as(assembly(text), tmp_path) == ""
