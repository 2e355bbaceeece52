"""Six workers share a kernel: each element once, waiting where one needs what others make; and the division that splits."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.targets.ipu.legalize.divisions import inverse_of
from voltac.targets.ipu.simulator.memory import TileMemory

WORKERS = 6
SUM = """
    export uniform int k(uniform int x[], uniform int n) {
        uniform int s = 0;
        for (uniform int i = 0; i < n; i++) s += x[i];
        return s;
    }"""


def compiled(source: str, target: str = "ipu-mk2") -> Any:
    return voltac.compile(source, target=target).k


def test_every_element_is_done_once() -> None:
    kernel = compiled("export void k(uniform int x[], uniform int n) { foreach (i = 0 ... n) x[i] += 1; }")
    for n in [*range(101), 20_000]:
        x = np.zeros(n + 8, np.int32)
        kernel(x, n)
        assert np.array_equal(x, np.arange(n + 8) < n)


@pytest.mark.parametrize("type", ["int8", "float16", "float"])
@pytest.mark.parametrize("level", [0, 2])
def test_a_range_may_begin_anywhere(type: str, level: int) -> None:
    source = f"export void k(uniform {type} x[], uniform int first, uniform int n) {{ foreach (i = first ... n) x[i] += i; }}"
    kernel: Any = voltac.compile(source, target="ipu-mk2", opt=level).k
    for first in range(9):
        for n in (*range(first, first + 10), 41, 60):
            x = np.zeros(64, {"int8": "i1", "float16": "f2", "float": "f4"}[type])
            kernel(x, first, n)
            expected = np.zeros_like(x)
            expected[first:n] = np.arange(first, n)
            assert np.array_equal(x, expected), (first, n)


@pytest.mark.parametrize(("first", "last"), [(2**31 - 20, 2**31 - 1), (2**31 - 5, 2**31 - 1), (-(2**31), 9 - 2**31)])
def test_a_range_may_end_at_the_limits_of_int32(first: int, last: int) -> None:
    source = "export void k(uniform int x[], uniform int first, uniform int n) { foreach (i = first ... n) x[i - first] = i; }"
    x = np.zeros(32, np.int32)
    compiled(source)(x, first, last)
    assert np.array_equal(x[: last - first], np.arange(first, last)) and not x[last - first :].any()


def test_the_work_is_split_evenly() -> None:
    kernel = compiled("export void k(uniform int x[], uniform int n) { foreach (i = 0 ... n) x[i] += 1; }")
    kernel(np.zeros(2400, np.int32), 2400)
    bundles = [worker.slots for worker in kernel.last_run.workers]
    assert len(bundles) == WORKERS and max(bundles) - min(bundles) <= 2


def test_rows_of_two_dimensions_are_shared() -> None:
    source = (
        "export void k(uniform int x[], uniform int m, uniform int n) { foreach (j = 0 ... m, i = 0 ... n) x[j * n + i] += j; }"
    )
    kernel = compiled(source)
    for m, n in [(1, 5), (7, 3), (13, 10)]:
        x = np.zeros(m * n, np.int32)
        kernel(x, m, n)
        assert np.array_equal(x, np.repeat(np.arange(m), n))


@pytest.mark.parametrize("level", [0, 2])
def test_what_others_have_made_is_there_behind_a_foreach(level: int) -> None:
    source = """
        export void k(uniform float x[], uniform float y[], uniform float z[], uniform int n) {
            foreach (i = 0 ... n) y[i] = x[i] + 1;
            foreach (i = 0 ... n) z[i] = y[n - 1 - i] * 2;
        }"""
    kernel: Any = voltac.compile(source, target="ipu-mk1", opt=level).k
    for n in (1, 7, 500):
        x = np.arange(n, dtype=np.float32)
        y, z = np.zeros_like(x), np.zeros_like(x)
        kernel(x, y, z, n)
        assert np.array_equal(z, ((x + 1) * 2)[::-1])


def test_a_kernel_that_cannot_be_shared_runs_on_one_worker() -> None:
    kernel = compiled(SUM)
    assert kernel(np.arange(100, dtype=np.int32), 100) == 4950


@pytest.mark.parametrize("level", [0, 2])
def test_workers_that_end_early_leave_nobody_waiting(level: int) -> None:
    # Behind the barrier of those that have a rest under a mask comes the test for a division by zero.
    source = """
        export void k(uniform int x[], uniform float y[], uniform float z[], uniform int n) {
            foreach (i = 0 ... n) {
                int j = x[i] % n;
                if (j < 0) j += n;
                z[i] = y[j] + programIndex * 0;
            }
        }"""
    kernel: Any = voltac.compile(source, target="ipu-mk2", opt=level).k
    for n in (0, 1, 3, 5, 40):
        x, y = 7 * np.arange(n, dtype=np.int32) - 30, np.arange(n, dtype=np.float32)
        z = np.zeros(n, np.float32)
        kernel(x, y, z, n)
        assert np.array_equal(z, y[x % max(n, 1)])


def test_the_short_inverse_is_right_below_its_bound() -> None:
    assert inverse_of(WORKERS) == (0xAAAB, 18, 98304)
    random = np.random.default_rng(6)
    for divisor in range(3, 257):
        if divisor & (divisor - 1):
            factor, shift, bound = inverse_of(divisor)
            numbers = [*random.integers(0, bound, 50).tolist(), bound - 1, bound // divisor * divisor - 1]
            assert all(n * factor < 1 << 32 and n * factor >> shift == n // divisor for n in numbers), divisor


def test_words_are_divided_by_constants_on_both_sides_of_the_bound() -> None:
    source = """
        export void k(uniform unsigned int a[], uniform unsigned int q[], uniform unsigned int r[], uniform int n) {
            for (uniform int i = 0; i < n; i++) { q[i] = a[i] / 6; r[i] = a[i] % 100; }
        }"""
    a = np.array([0, 5, 6, 98303, 98304, 98309, 65535, 2**31, 2**32 - 1, 4_000_000_007], np.uint32)
    q, r = np.zeros_like(a), np.zeros_like(a)
    compiled(source)(a, q, r, len(a))
    assert np.array_equal(q, a // 6) and np.array_equal(r, a % 100)


@pytest.mark.parametrize(("x", "failure"), [([1, 2, 0, 4], AssertionError), ([5, -1, 5, 5], ZeroDivisionError)])
def test_a_failure_is_an_exception_of_the_host(x: list[int], failure: type[Exception]) -> None:
    source = """
        export void k(uniform int x[], uniform int n) {
            foreach (i = 0 ... n) { assert(x[i] != 0); x[i] = 100 / (x[i] + 1); }
        }"""
    with pytest.raises(failure, match=r"in lane (1|2)\b.*core 0, thread 0"):
        compiled(source)(np.array(x, np.int32), 4)


def test_stacks_have_room_for_the_arguments_of_kernels() -> None:
    # Six words, of which four are in registers.
    source = """
        export void k(uniform int out[], uniform int a, uniform int b, uniform int c, uniform int d, uniform int e) {
            foreach (i = 0 ... 64) out[i] = a + 10 * b + 100 * c + 1000 * d + 10000 * e;
        }"""
    out = np.zeros(64, np.int32)
    compiled(source)(out, 1, 2, 3, 4, 5)
    assert (out == 54321).all()


@pytest.mark.parametrize("type", ["float", "float16"])
def test_lanes_of_halves_are_summed_up_as_halves(type: str) -> None:
    source = f"export uniform {type} k(uniform {type} x[]) {{ return reduce_add(x[programIndex]); }}"
    x = np.array([1.5, 2, -4, 8], np.float16 if type == "float16" else np.float32)
    assert compiled(source)(x) == 7.5


@pytest.mark.parametrize(
    ("outside", "value"),
    [
        ("float k = p[programIndex];", "k"),
        ("float k = 1; if (programIndex & 1) k = 3;", "k"),
        ("", "programIndex"),
        ("", "own()"),
        ("varying float rows[2]; varying float * uniform k = rows; rows[1] = programIndex;", "k[1]"),
        ("float whole = programIndex; float &k = whole;", "k"),
    ],
)
def test_lanes_count_from_the_first_element_where_it_shows(outside: str, value: str) -> None:
    """Language 9.5: lane l handles ``first + l`` of a group, whoever of the workers has it."""
    source = f"""static inline float own() {{ return programIndex; }}
export void f(uniform float p[], uniform float q[], uniform int a, uniform int n) {{
    {outside}
    foreach (i = a ... n) q[i] = p[i] * {value};
}}"""
    kernel = voltac.compile(source, target="ipu-mk2").f
    width = 4
    for first, count in ((0, 70), (1, 70), (3, 201), (5, 5), (6, 7)):
        p, q = np.arange(1, max(count, width) + 1, dtype=np.float32), np.zeros(max(count, width), np.float32)
        kernel(p, q, first, count)
        i = np.arange(first, count)
        lane = (i - first) % width
        of_lane: np.ndarray = lane
        if "p[programIndex]" in outside:
            of_lane = p[lane]
        elif "& 1" in outside:
            of_lane = np.where(lane & 1, 3, 1)
        wanted = np.zeros_like(q)
        wanted[i] = p[i] * of_lane
        assert q.tolist() == wanted.tolist(), (first, count)


@pytest.mark.parametrize("target", ["ipu-mk1", "ipu-mk2"])
def test_a_tile_that_has_run_is_freed_at_once(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the search for circles: 600 KB each, of which there was a gigabyte after a thousand calls."""
    memories: list[weakref.ref[TileMemory]] = []
    made = TileMemory.__init__

    def remembered(self: TileMemory, generation: str, conflicts: str) -> None:
        memories.append(weakref.ref(self))
        made(self, generation, conflicts)

    monkeypatch.setattr(TileMemory, "__init__", remembered)
    x = np.zeros(40, np.int32)
    gc.disable()
    try:
        compiled("export void k(uniform int x[], uniform int n) { foreach (i = 0 ... n) x[i] += 1; }", target)(x, 40)
    finally:
        gc.enable()
    assert x.all() and memories and not any(memory() for memory in memories)
