"""Loops: where vectors lie in their lines is found before them, pointers end them, and whole lines have a loop of their own."""

from typing import Any

import numpy as np
import pytest
from legal_ir import Compiled

import voltac

KERNELS = """
export void product(const uniform float a[], const uniform float x[], uniform float y[], uniform int n, uniform int width) {
    foreach (i = 0 ... n) {
        float sum = 0;
        for (uniform int j = 0; j < n; j++)
            sum += a[j * width + i] * x[j];
        y[i] = sum;
    }
}
export void neighbours(const uniform int a[], uniform int b[], uniform int n) {
    foreach (i = 0 ... n)
        b[i] = a[i] - 3 * a[i + 1] + a[i + 5];
}
export void shifted(const uniform int a[], uniform int b[], uniform int n) {
    const uniform int * uniform c = a + 3;
    foreach (i = 0 ... n)
        b[i] = c[i] * a[i + 16] - a[i + 40];
}
export void sum_of_some(const uniform int a[], uniform int out[], uniform int n, uniform int most) {
    int sum = 0, less = 0;
    foreach (i = 0 ... n) {
        int v = a[i];
        sum += v < most ? v : 0;
        less ^= v < most ? 0 : 3 * v;
    }
    out[0] = reduce_add(sum);
    out[1] = extract(less ^ shuffle(less, 15 - programIndex), 0);
}
export void rows(const uniform int a[], uniform int b[], uniform int height, uniform int width) {
    for (uniform int y = 1; y < height; y++)
        foreach (x = 0 ... width)
            b[y * width + x] = a[y * width + x] + 2 * a[(y - 1) * width + x];
}
export void moved(const uniform int a[], const uniform int from[], uniform int b[], uniform int n, uniform int k) {
    foreach (i = 0 ... n) {
        int v = a[from[i]];
        b[i] = v + shuffle(v, programIndex + k) + exclusive_scan_add(v);
    }
}
"""
LAUNCHES = ((1, 1), (1, 2), (1, 8), (4, 8))


@pytest.fixture(scope="module")
def kernels() -> Any:
    return voltac.compile(KERNELS, target="naplespu", cache=False)


def some(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(-999, 999, shape).astype(np.int32)


@pytest.mark.parametrize("cores, threads", LAUNCHES)
@pytest.mark.parametrize("width", [32, 35, 48])
def test_rows_at_lines_and_across_them(kernels: Any, width: int, cores: int, threads: int) -> None:
    a, b = some(9, width), np.zeros((9, width), np.int32)
    kernels.rows.configure(cores=cores, threads=threads)
    kernels.rows(a, b, 9, width)
    assert np.array_equal(b[1:], a[1:] + 2 * a[:-1])
    n = 31
    m, x, y = (some(n, width), some(n), some(n))
    m, x, y = (one.astype(np.float32) for one in (m, x, y))
    kernels.product.configure(cores=cores, threads=threads)
    kernels.product(m, x, y, n, width)
    assert np.array_equal(y, x @ m[:, :n])


@pytest.mark.parametrize("cores, threads", LAUNCHES)
def test_neighbours_take_lanes_of_two_lines(kernels: Any, cores: int, threads: int) -> None:
    for n in (1, 16, 37, 256):
        a, b = some(n + 5), np.zeros(n, np.int32)
        kernels.neighbours.configure(cores=cores, threads=threads)
        kernels.neighbours(a, b, n)
        assert np.array_equal(b, a[:n] - 3 * a[1 : n + 1] + a[5:])


def loop_of(assembly: str, name: str) -> list[str]:
    """The instructions of the loop over whole gangs."""
    lines = assembly[assembly.index(f"{name}.foreach_") :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.endswith(".all_on:"))
    end = next(number for number in range(start, len(lines)) if "nez" in lines[number] or "eqz" in lines[number])
    return [line.split()[0] for line in lines[start + 1 : end + 1]]


@pytest.mark.parametrize("cores, threads", LAUNCHES)
def test_neighbours_at_known_distances_from_lines(kernels: Any, cores: int, threads: int) -> None:
    for n in (16, 45, 128):
        a, b = some(n + 40), np.zeros(n, np.int32)
        kernels.shifted.configure(cores=cores, threads=threads)
        kernels.shifted(a, b, n)
        assert np.array_equal(b, a[3 : n + 3] * a[16 : n + 16] - a[40:])


def test_lines_that_neighbours_share_are_loaded_once(kernels: Any) -> None:
    loop = loop_of(kernels.assembly("neighbours"), "neighbours")
    assert loop.count("load_v16i32") == 2 and loop.count("shuffle_i32") == loop.count("shuffle_i32.m") == 2


def test_sums_of_some_lanes_are_made_in_these(kernels: Any) -> None:
    a, out = some(200), np.zeros(2, np.int32)
    kernels.sum_of_some(a, out, 200, 100)
    others = np.where(np.pad(a, (0, 8), constant_values=0) < 100, 0, 3 * np.pad(a, (0, 8))).reshape(-1, 16)
    folded = np.bitwise_xor.reduce(others, 0)
    assert out.tolist() == [a[a < 100].sum(), (folded ^ folded[::-1])[0]]
    loop = loop_of(kernels.assembly("sum_of_some"), "sum_of_some")
    assert loop.count("add_i32.m") == loop.count("load_v16i32")


def test_lanes_move_by_shuffles(kernels: Any) -> None:
    assert "shuffle_i32" in kernels.assembly("moved")
    n = 64
    a, b, order = some(n), np.zeros(n, np.int32), np.random.default_rng(1).permutation(n).astype(np.int32)
    kernels.moved(a, order, b, n, -3)
    v = a[order].reshape(-1, 16)
    expected = v + np.roll(v, 3, 1) + np.cumsum(v, 1) - v
    assert np.array_equal(b, expected.reshape(-1))


def counted(step: int, predicate: str, shift: int = 2, accessed: bool = True) -> str:
    """A sum over every ``step``-th element, and the counter behind the loop."""
    distance = "%b = ptrtoint ptr %a to i32\n  %c = ptrtoint ptr %q to i32\n  %y = sub i32 %c, %b"
    load = "%y = load i32, ptr %q, align 4" if accessed else distance
    return f"""\
define i32 @k(ptr %a, i32 %from, i32 %n) {{
entry:
  %some = icmp slt i32 %from, %n
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ %from, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %o = shl i32 %i, {shift}
  %q = getelementptr i8, ptr %a, i32 %o
  {load}
  %more = add i32 %sum, %y
  %next = add i32 %i, {step}
  %go = icmp {predicate} i32 %next, %n
  br i1 %go, label %loop, label %done
done:
  %last = phi i32 [ %from, %entry ], [ %next, %loop ]
  %total = phi i32 [ 0, %entry ], [ %more, %loop ]
  %mixed = mul i32 %last, 1000003
  %result = add i32 %mixed, %total
  ret i32 %result
}}"""


@pytest.mark.parametrize("step", [1, 3, 16])
@pytest.mark.parametrize("predicate", ["slt", "ult"])
def test_a_pointer_ends_a_loop_whose_counter_is_wanted_behind_it(step: int, predicate: str) -> None:
    compiled = Compiled(counted(step, predicate))
    loop = compiled.assembly[compiled.assembly.index("k.loop:") :]
    loop = loop[: loop.index("bnez")]
    assert loop.count("add") == 2 and "cmpult_i32" in loop
    for first, n in ((0, 0), (0, 1), (5, 40), (7, 8), (2, 33)):
        compiled.check("k", some(64).reshape(-1), first, n)


def test_a_counter_that_may_move_a_pointer_round_memory_stays() -> None:
    for text in (counted(1, "slt", accessed=False), counted(1 << 23, "slt")):
        compiled = Compiled(text)
        assert "cmplt_i32" in compiled.assembly
        compiled.check("k", some(64).reshape(-1), 0, 40)
