"""Kernels of several iterations: loads of pairs, sums in parts, the rest; the reference's figures for floats (IA-64 12)."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ia64_rows import GNU_AS, refused_by_gnu_as

import voltac
from voltac.driver import compile_source
from voltac.options import Options
from voltac.target_info import DEVICES

F, D, W, L, S16 = np.float32, np.float64, np.int32, np.int64, np.int16
PACKED, SCALAR = "ia64-f32x2", "ia64-x1"


def compiled(text: str, target: str, folder: Path, **options: Any) -> Any:
    path = folder / "k.ispc"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", voltac.VoltacWarning)  # of sums in order
        return voltac.load(path, target=target, **options)


DOT = """
export uniform T dot(uniform T a[], uniform T b[], uniform int n) {
    T s = 0;
    foreach (i = 0 ... n) s += a[i] * b[i];
    return reduce_add(s);
}
"""
SAXPY = """
export void saxpy(uniform T a[], uniform T b[], uniform T o[], uniform int n) {
    foreach (i = 0 ... n) o[i] = 2.5f * a[i] + b[i];
}
export void scale(uniform T a[], uniform T o[], uniform int n) { foreach (i = 0 ... n) o[i] = 2.5f * a[i]; }
"""
# Target, type, order of sums, cycles for 24 elements: of dot, scale and saxpy.
RATES = [
    # 4 floats a cycle; 8 in 3 cycles; in order a sum waits 4 cycles for the one before.
    (PACKED, "float", "aggressive", 6, 6, 9),
    (PACKED, "float", "", 48, 6, 9),
    (SCALAR, "float", "aggressive", 12, 12, 18),
    (SCALAR, "double", "aggressive", 12, 12, 18),
    (SCALAR, "double", "", 96, 12, 18),
]


@pytest.mark.parametrize(("target", "name", "order", "dot", "scale", "saxpy"), RATES)
def test_loops_over_floats_take_the_cycles_of_the_reference(
    target: str, name: str, order: str, dot: int, scale: int, saxpy: int, tmp_path: Path
) -> None:
    k = compiled((DOT + SAXPY).replace("T", name), target, tmp_path, fast_math=order)
    cycles: dict[str, list[int]] = {"dot": [], "scale": [], "saxpy": []}
    for n in (240, 480):
        a, b = np.random.default_rng(n).integers(-9, 9, (2, n)).astype(F if name == "float" else D)
        out = np.zeros_like(a)
        assert k.dot(a, b, n) == (a * b).sum()
        cycles["dot"].append(k.dot.last_run.cycles)
        k.scale(a, out, n)
        cycles["scale"].append(k.scale.last_run.cycles)
        k.saxpy(a, b, out, n)
        cycles["saxpy"].append(k.saxpy.last_run.cycles)
        assert np.array_equal(out, 2.5 * a + b)
    assert {name: last - first for name, (first, last) in cycles.items()} == {
        "dot": 10 * dot, "scale": 10 * scale, "saxpy": 10 * saxpy,
    }  # fmt: skip


SHIFTED = """
export void saxpy(uniform T a[], uniform T b[], uniform T o[], uniform int first, uniform int n) {
    foreach (i = 0 ... n) o[first + i] = 2 * a[first + i] + b[i + 3];
}
export uniform T sums(uniform T a[], uniform T b[], uniform T more[], uniform int first, uniform int n) {
    T s = 5, t = 3;
    foreach (i = 0 ... n) { s += a[first + i]; t += a[first + i] * b[i]; }
    more[0] = reduce_add(t);
    return reduce_add(s);
}
"""


@pytest.mark.parametrize(("target", "name", "dtype"), [(PACKED, "float", F), (SCALAR, "float", F), (SCALAR, "double", D),
                                                       (SCALAR, "int", W), (SCALAR, "int64", L), (PACKED, "int", W),
                                                       ("ia64-i16x4", "int16", S16)])  # fmt: skip
def test_every_number_of_iterations_from_every_place_is_right(target: str, name: str, dtype: Any, tmp_path: Path) -> None:
    """Also where pairs are not aligned, which is for the kernel of one iteration."""
    k = compiled(SHIFTED.replace("T", name), target, tmp_path, fast_math="aggressive")
    width = DEVICES[target].width
    rng = np.random.default_rng(1)
    for first in range(4):
        for n in (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 70):
            a, b = (rng.integers(-9, 9, n + 9).astype(dtype) for _ in range(2))
            out, more = np.full(n + 9, 7, dtype), np.zeros(1, dtype)
            k.saxpy(a, b, out, first, n)
            assert np.array_equal(out[first : first + n], 2 * a[first : first + n] + b[3 : 3 + n])
            assert np.all(out[:first] == 7) and np.all(out[first + n :] == 7)
            assert k.sums(a, b, more, first, n) == a[first : first + n].sum() + 5 * width
            assert more[0] == (a[first : first + n] * b[:n]).sum() + 3 * width


NEIGHBOURS = """
export void run(uniform T a[], uniform int distance, uniform int n) {
    for (uniform int i = 0; i < n; i++) a[i + D] = a[i] * 2 + 1;
}
export void back(uniform T a[], uniform int distance, uniform int n) {
    for (uniform int i = 0; i < n; i++) a[i] = a[i + D] * 2 + 1;
}
export void both(uniform T a[], uniform T b[], uniform T o[], uniform int n) {
    for (uniform int i = 0; i < n; i++) { o[i] = a[i] + a[i + 1]; b[i] = a[i + 2]; }
}
"""


@pytest.mark.parametrize("distance", range(1, 6))
@pytest.mark.parametrize(("name", "dtype"), [("float", F), ("double", D), ("int", W)])
def test_stores_of_one_iteration_come_before_loads_of_the_next(name: str, dtype: Any, distance: int, tmp_path: Path) -> None:
    k = compiled(NEIGHBOURS.replace("T", name).replace("D", str(distance)), SCALAR, tmp_path)
    for n in (1, 2, 3, 9, 18, 19):
        a = np.arange(1, n + 9, dtype=dtype) % 5
        wanted, other = a.copy(), a.copy()
        for i in range(n):
            wanted[i + distance] = wanted[i] * 2 + 1
        for i in range(n):
            other[i] = other[i + distance] * 2 + 1
        found, back = a.copy(), a.copy()
        k.run(found, distance, n)
        k.back(back, distance, n)
        assert np.array_equal(found, wanted)
        assert np.array_equal(back, other)
        b, out = np.zeros((2, n), dtype)
        k.both(a, b, out, n)
        assert np.array_equal(out, a[:n] + a[1 : n + 1])
        assert np.array_equal(b, a[2 : n + 2])


ANYWHERE = """
export void within(uniform float a[], uniform int from, uniform int to, uniform int n) {
    uniform float * uniform p = a + from, * uniform q = a + to;
    for (uniform int i = 0; i < n; i++) q[i] = p[i] * 2 + 1;
}
export void sums(uniform double a[], uniform float b[], uniform int n) {
    for (uniform int i = 0; i < n; i++) b[i] = a[i] * 2 + b[i];
}
"""


def test_what_may_overlap_is_done_in_order_where_it_does(tmp_path: Path) -> None:
    k = compiled(ANYWHERE, SCALAR, tmp_path)
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 5, 20):
        for start in (0, 1, 3, 20, 21, 22, 30):
            for to in (0, 1, 2, 3, 19, 20, 21, 22, 30):
                a = rng.integers(0, 5, 60).astype(F)
                wanted = a.copy()
                for i in range(n):
                    wanted[to + i] = wanted[start + i] * 2 + 1
                k.within(a, start, to, n)
                assert np.array_equal(a, wanted)


def test_what_is_apart_does_not_wait_for_stores(tmp_path: Path) -> None:
    """In order: a load waits for the store before it, 11 cycles; apart: the kernels of several iterations."""
    k = compiled(ANYWHERE, SCALAR, tmp_path)
    cycles: dict[str, list[int]] = {"apart": [], "in order": [], "doubles": []}
    for n in (400, 800):
        a = np.zeros(2000, F)
        k.within(a, 0, 1000, n)
        cycles["apart"].append(k.within.last_run.cycles)
        k.within(a, 0, 1, n)
        cycles["in order"].append(k.within.last_run.cycles)
        b = np.ones(n, F)
        k.sums(np.ones(n), b, n)
        assert np.all(b == 3)
        cycles["doubles"].append(k.sums.last_run.cycles)
    assert {name: last - first for name, (first, last) in cycles.items()} == {
        "apart": 400 // 2, "in order": 400 * 11, "doubles": 400,
    }  # fmt: skip


def test_sums_are_in_order_where_that_is_not_given_up(tmp_path: Path) -> None:
    """1e8 and small numbers: each order has its own result."""
    a = np.tile(np.array([1e8, 1, -1e8, 1], F), 9)
    ones = np.ones(36, F)
    wanted = F(0)
    for one in a:
        wanted = F(wanted + one)
    assert compiled(DOT.replace("T", "float"), SCALAR, tmp_path).dot(a, ones, 36) == wanted
    apart = compiled(DOT.replace("T", "float"), SCALAR, tmp_path, fast_math="aggressive").dot(a, ones, 36)
    assert apart != wanted


def test_gnu_as_takes_pairs(tmp_path: Path) -> None:
    if shutil.which(GNU_AS) is None:
        pytest.skip(f"{GNU_AS} is not installed (apt: binutils-ia64-linux-gnu)")
    for target, name, load in ((PACKED, "float", "ldfp8"), (SCALAR, "float", "ldfps"), (SCALAR, "double", "ldfpd")):
        text = (DOT + SAXPY + SHIFTED.replace("saxpy", "shifted") + ANYWHERE.replace("sums", "others")).replace("T", name)
        job = compile_source(text, "k.ispc", Options(DEVICES[target], level=2, fast_math="aggressive"))
        assert load in job.results["select"]
        assert refused_by_gnu_as(job.results["select"], tmp_path) == ""
