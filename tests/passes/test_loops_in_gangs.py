"""Gangs whose work is a short loop are done several at once, with numpy's results; not where their order could be told."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from judged_kernels import JudgedKernels
from kernels import compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.options import Options
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
TYPES: dict[str, Any] = {"float": np.float32, "double": np.float64, "int": np.int32}
HEAD = "export void f(uniform {0} a[], uniform {0} b[], uniform {0} c[], uniform int n, uniform int m) {{ "
FILTER = "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += c[k] * b[i + k]; a[i] = s; }} }}"
PRODUCT = (
    "foreach (j = 0 ... n) {{ {0} s = 0, t = 1; for (uniform int k = 0; k < m; k++) {{"
    " if (k == 2) continue; s += c[k] * b[k * n + j]; t = min(t, s); }} a[j] = s - t; }} }}"
)
DEEP = (
    "foreach (j = 0 ... n) {{ {0} s = b[j]; for (uniform int k = 0; k < m; k++)"
    " for (uniform int l = 0; l < k; l++) s = s * c[l] + b[k * n + j]; a[j] = s; }} }}"
)


def filtered(b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    return sum((c[k] * b[k : k + n] for k in range(m)), np.zeros(n, b.dtype))


def multiplied(b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    s, t = np.zeros(n, b.dtype), np.ones(n, b.dtype)
    for k in range(m):
        if k != 2:
            s = s + c[k] * b[k * n : k * n + n]
            t = np.minimum(t, s)
    return s - t


def deep(b: np.ndarray, c: np.ndarray, n: int, m: int) -> np.ndarray:
    s = b[:n]
    for k in range(m):
        for number in range(k):
            s = s * c[number] + b[k * n : k * n + n]
    return s


CASES = {"filter": (FILTER, filtered), "product": (PRODUCT, multiplied), "loop in a loop": (DEEP, deep)}


@cache
def passed(source: str, target: str) -> str:
    made = compile_source(source, "f.ispc", Options(find_target(target), whole_program=True), end="passes")
    text: str = made.results["passes"]
    return text


def small_numbers(dtype: type, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, count).astype(dtype)


@pytest.mark.parametrize(("name", "target"), some_pairs(TYPES, TARGETS, 3))
@pytest.mark.parametrize("case", CASES)
def test_results_are_numpys(case: str, name: str, target: str) -> None:
    dtype = TYPES[name]
    body, expected = CASES[case]
    source = (HEAD + body).format(name)
    assert ".wide_body:" in passed(source, target)
    kernel = compile_kernels(source, target=target).f
    for n, m in [(0, 3), (1, 1), (15, 4), (16, 0), (33, 5), (64, 3), (100, 6), (131, 2)]:
        b, c, a = small_numbers(dtype, (m + 1) * n + m, n), small_numbers(dtype, m, m), np.zeros(n, dtype)
        kernel(a, b, c, n, m)
        assert np.array_equal(a, expected(b, c, n, m)), (n, m)


@pytest.mark.parametrize("case", CASES)
def test_rests_of_narrow_gangs_fill_registers(case: str) -> None:
    body, expected = CASES[case]
    source = (HEAD + body).format("float")
    assert len(re.findall(r"\.wide_body[.\d]*:", passed(source, "avx2-i32x4"))) == 2
    kernel = compile_kernels(source, target="avx2-i32x4").f
    for n, m in [(0, 3), (3, 1), (4, 4), (8, 0), (15, 5), (29, 3), (47, 6), (75, 2)]:
        b, c, a = small_numbers(np.float32, (m + 1) * n + m, n), small_numbers(np.float32, m, m), np.zeros(n, np.float32)
        kernel(a, b, c, n, m)
        assert np.array_equal(a, expected(b, c, n, m)), (n, m)


def test_the_ir_means_the_same() -> None:
    text = passed((HEAD + PRODUCT).format("float"), "avx2-i32x8")
    b, c, a = small_numbers(np.float32, 500, 1), small_numbers(np.float32, 5, 2), np.zeros(77, np.float32)
    IRInterpreter(read(text)).call("f", [a, b, c, 77, 5])
    assert np.array_equal(a, multiplied(b, c, 77, 5))


@pytest.mark.parametrize(
    "body",
    [
        # Stored in the turns of the loop: rows of gangs could meet.
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) {{ s += b[i + k]; a[k * n + i] = s; }} }} }}",
        # Reads what other gangs have stored.
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += a[i + k]; a[i] = s; }} }}",
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += a[k] * b[i]; a[i] = s; }} }}",
        # The number of turns is another one for each gang.
        "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < extract(i, 0); k++) s += b[i + k]; a[i] = s; }} }}",
        # What gangs leave behind.
        "uniform int t = 0; foreach (i = 0 ... n) {{ {0} s = 0;"
        " for (uniform int k = 0; k < m; k++) {{ s += b[i + k]; t += k; }} a[i] = s + t; }} }}",
    ],
)
def test_gangs_that_meet_or_differ_are_left_alone(body: str) -> None:
    assert ".wide_body:" not in passed((HEAD + body).format("float"), "avx2-i32x8")


def test_long_loops_are_left_alone() -> None:
    body = "foreach (i = 0 ... n) {{ {0} s = 0; for (uniform int k = 0; k < m; k++) s += sqrt(b[i + k]); a[i] = s; }} }}"
    assert ".wide_body:" not in passed((HEAD + body).format("float"), "avx2-i32x8")


SEARCH = (
    "foreach (i = 0 ... n) {{ {0} x = b[i]; int at = 0; for (uniform int k = 64 + m; k > 0; k >>= 1)"
    " if (c[at + k - 1] < x) at += k; a[i] = at; }} }}"
)
FOLLOWED = "foreach (i = 0 ... n) {{ int at = b[i]; for (uniform int k = 0; k < m; k++) at = c[at]; a[i] = at; }} }}"


@pytest.mark.parametrize(("name", "target"), some_pairs(TYPES, TARGETS, 3))
def test_lanes_that_find_their_own_way(name: str, target: str) -> None:
    """What is loaded from where the loads before led: of several gangs at once, and of nothing but the table."""
    dtype = TYPES[name]
    random = np.random.default_rng(7)
    source = (HEAD + SEARCH).format(name)
    assert name == "double" or ".wide_body:" in passed(source, target)
    kernels = JudgedKernels(source, target)
    for n in (0, 1, 7, 8, 33, 64, 100):
        table = np.sort(random.integers(-50, 50, 127)).astype(dtype)
        b = random.integers(-60, 60, n).astype(dtype)
        wanted = np.searchsorted(table, b).astype(dtype)
        arrays = [np.zeros(n, dtype), b, table]
        kernels.expect("f", arrays, (n, 0), wanted, interpreted=True, at_ends=(n % 2 == 0,))
    kernels.check()


def test_ways_that_are_changed_are_left_alone() -> None:
    source = (HEAD + FOLLOWED).format("int")
    assert ".wide_body:" in passed(source, "avx2-i32x8")
    assert ".wide_body:" not in passed(source.replace("a[i] = at", "c[i] = at"), "avx2-i32x8")
    c, b = np.random.default_rng(3).permutation(50).astype(np.int32), np.arange(50, dtype=np.int32)
    for text in (source, source.replace("a[i] = at", "c[i] = at")):
        a, way = np.zeros(50, np.int32), c.copy()
        compile_kernels(text, target="avx2-i32x8").f(a, b, way, 50, 3)
        wanted, changed = np.zeros(50, np.int32), c.copy()
        for first in range(0, 50, 8):  # gangs, one after the other
            at = b[first : first + 8]
            for _ in range(3):
                at = changed[at]
            (wanted if text == source else changed)[first : first + 8] = at
        assert a.tolist() == wanted.tolist() and way.tolist() == changed.tolist()


def test_lanes_that_are_scalars_are_put_where_they_are_stored() -> None:
    """Members looked up one by one are not put into vectors to be shuffled; an array that is written stays apart from them."""
    source = """export void f(uniform uint8 a[], const uniform uint8 b[], const uniform uint8 c[], uniform int n) {
    foreach (i = 0 ... n) for (uniform int k = 0; k < 4; k++) a[4 * i + k] = c[b[i] >> (2 * k) & 3];
}"""
    text = passed(source, "avx2-i32x8")
    loop = text[text.index(".all_on:") :].partition("\n\n")[0]
    assert (loop.count("store <16 x i8>"), loop.count("insertelement <16 x i8>")) == (2, 32) and "store i8" not in loop
    b, c, a = np.arange(200, dtype=np.uint8), np.array([7, 200, 9, 55], np.uint8), np.zeros(800, np.uint8)
    compile_kernels(source, target="avx2-i32x8").f(a, b, c, 200)
    assert a.tolist() == [c[number >> 2 * k & 3] for number in range(200) for k in range(4)]


ROUNDS = """export void f(uniform unsigned int out[], const uniform unsigned int key[], uniform int n) {
    foreach (i = 0 ... n) {
        unsigned int a = key[i], b = i, c = 3 * i, d = 77, e = 5;
        for (uniform int r = 0; r < 9; ++r) {
            a += b; d ^= a; d = (d << 7) | (d >> 25);
            c += d; b ^= c; b = (b << 12) | (b >> 20);MORE
        }
        out[i] = a ^ b ^ c ^ d;
    }
}
"""


def test_rounds_on_four_words_are_done_for_two_gangs() -> None:
    """Each step waits for the one before, whichever of the words it changes; more words would not stay in registers."""
    source = ROUNDS.replace("MORE", "")
    judged = JudgedKernels(source)
    for n in (1, 8, 16, 45):
        key = np.random.default_rng(n).integers(0, 1 << 32, n).astype(np.uint32)
        a: Any = key.copy()
        b: Any = np.arange(n, dtype=np.uint32)
        d: Any = np.full(n, 77, np.uint32)
        c: Any = 3 * b
        for _ in range(9):
            a = a + b
            d = d ^ a
            d = (d << 7) | (d >> 25)
            c = c + d
            b = b ^ c
            b = (b << 12) | (b >> 20)
        judged.expect("f", [np.zeros(n, np.uint32), key], (n,), a ^ b ^ c ^ d, interpreted=n < 45)
    judged.check()
    assert "<16 x i32>" in passed(source, "avx2-i32x8")
    assert "<16 x i32>" not in passed(ROUNDS.replace("MORE", " e ^= b + r; a += e;"), "avx2-i32x8")


STEPS = """export void f(uniform float out[], const uniform float x[], const uniform int seed[],
                 uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        int s = seed[i];
        float v = x[i], sum = 0;
        for (uniform int k = 0; k < m; ++k) {
            s = s * 5 + 3;
            float z = (s >> 4) & 7;
            sum += MORE;
            v += (int)sqrt(v) * z;
        }
        out[i] = sum + v;
    }
}
"""


def test_roots_that_wait_for_each_other_are_done_for_two_gangs() -> None:
    """Not where there are as many roots as the unit that finds them can do."""
    source = STEPS.replace("MORE", "v * z")
    judged = JudgedKernels(source)
    for n in (1, 8, 16, 45):
        random = np.random.default_rng(n)
        x, seed = random.integers(1, 9, n).astype(np.float32), random.integers(0, 1000, n).astype(np.int32)
        s, total = seed.copy(), np.zeros(n, np.float32)
        v: Any = x.copy()
        for _ in range(6):
            s = s * 5 + 3
            z = ((s >> 4) & 7).astype(np.float32)
            total = total + v * z
            v = v + np.floor(np.sqrt(v)) * z
        wanted = total + v  # All are whole: exact, contracted or not.
        judged.expect("f", [np.zeros(n, np.float32), x, seed], (n, 6), wanted, interpreted=n < 45)
    judged.check()
    assert ".wide_body:" in passed(source, "avx2-i32x8")
    many = " + ".join(f"sqrt(z + {number})" for number in range(6))
    assert ".wide_body:" not in passed(STEPS.replace("MORE", many), "avx2-i32x8")


FOREST = """export void f(uniform int out[], const uniform int feature[], const uniform int least[], const uniform int x[],
                 uniform int n, uniform int trees, uniform int depth) {
    foreach (i = 0 ... n) {
        int sum = 0;
        for (uniform int tree = 0; tree < trees; ++tree) {
            int at = 0;
            for (uniform int d = 0; d < depth; ++d)
                at = 2 * at + (x[4 * i + feature[8 * tree + at]] < least[8 * tree + at] ? 1 : 2);
            sum += at;
        }
        out[i] = sum;
    }
}
"""


def test_trees_that_lead_from_load_to_load_are_done_for_two_gangs() -> None:
    judged, random = JudgedKernels(FOREST), np.random.default_rng(5)
    feature, least = (random.integers(0, high, 24).astype(np.int32) for high in (4, 50))
    for n in (1, 8, 16, 37):
        x = random.integers(0, 50, (n, 4)).astype(np.int32)
        wanted = np.zeros(n, np.int32)
        for i in range(n):
            for tree in range(3):
                at = 0
                for _ in range(3):
                    at = 2 * at + (1 if x[i, feature[8 * tree + at]] < least[8 * tree + at] else 2)
                wanted[i] += at
        judged.expect("f", [np.zeros(n, np.int32), feature, least, x.ravel()], (n, 3, 3), wanted, interpreted=n < 37)
    judged.check()
    assert ".wide_body:" in passed(FOREST, "avx2-i32x8")
