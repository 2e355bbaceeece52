"""The reference's first workloads (NaplesPU 9) and what they check, on the simulator against numpy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac

KERNELS = Path(__file__).parent / "kernels"
MODES = ("ideal", "rtl")


def load(name: str, cores: int = 1, threads: int = 8, **launch: Any) -> Any:
    return voltac.load(KERNELS / f"{name}.ispc", target="naplespu", launch={"cores": cores, "threads": threads, **launch})


def some_ints(count: int, seed: int = 0, bound: int = 1000) -> np.ndarray:
    return np.random.default_rng(seed).integers(-bound, bound, count).astype(np.int32)


def test_barriers_join_different_threads_and_only_what_is_flushed_is_seen() -> None:
    given, sums = some_ints(8 * 16), np.zeros(7 * 16, np.int32)
    load("vector_add", threads=4).add_vectors(given, sums)
    assert np.array_equal(sums[6 * 16 :], given.reshape(8, 16).sum(0))
    assert not sums[: 6 * 16].any()


@pytest.mark.parametrize("outer", [0xFFFF, 0, 0x0F0F, 0x8001, 0x7FFE])
@pytest.mark.parametrize("kernel", ["smaller", "smaller_of_some"])
def test_masks_are_complemented_inside_of_masks(kernel: str, outer: int) -> None:
    a, b, out = some_ints(16, 1), some_ints(16, 2), np.zeros(16, np.int32)
    getattr(load("masks", threads=1), kernel)(a, b, out, outer)
    on = (outer >> np.arange(16) & 1).astype(bool)
    assert np.array_equal(out, np.where(on, np.minimum(a, b), -1))


@pytest.mark.parametrize("fpu", MODES)
def test_comparisons_give_bitmaps_of_all_lanes(fpu: str) -> None:
    a, b = some_ints(16, 3, 3), some_ints(16, 4, 3)
    f = np.array([0, -0.0, 1, -1, -2, 2, np.inf, -np.inf, np.nan, 1, 3, -3, 1e-3, -1e-3, 5, -5], np.float32)
    g = np.array([-0.0, 0, -1, 1, -1, 3, np.inf, np.inf, 1, np.nan, 3, -4, 2e-3, -2e-3, 5, -5], np.float32)
    out = np.zeros(16, np.int32)
    load("masks", threads=1, fpu=fpu).comparisons(a, b, f, g, out)
    u, v = a.view(np.uint32), b.view(np.uint32)
    rows = [a == b, a != b, a > b, a >= b, a < b, a <= b, u > v, u >= v, u < v, u <= v]
    rows += [f == g, f != g, f > g, f >= g, f < g, f <= g]
    assert out.tolist() == [int((row << np.arange(16)).sum()) for row in rows]


@pytest.mark.parametrize("cores, threads", [(1, 1), (1, 2), (1, 8), (4, 1), (4, 8)])
@pytest.mark.parametrize("kernel", ["scalar_product", "vector_product"])
def test_matrices_are_multiplied_by_threads_of_cores(kernel: str, cores: int, threads: int) -> None:
    n = 16 if kernel == "scalar_product" else 32
    a, b, c = some_ints(n * n, 5), some_ints(n * n, 6), np.zeros(n * n, np.int32)
    getattr(load("matrices", cores, threads), kernel)(a, b, c, n)
    assert np.array_equal(c.reshape(n, n), a.reshape(n, n) @ b.reshape(n, n))


@pytest.mark.parametrize("cores, threads", [(1, 1), (1, 8), (2, 4)])
def test_the_compiler_shares_a_matrix_product(cores: int, threads: int) -> None:
    n = 21
    a, b = (np.random.default_rng(seed).random(n * n, np.float32) for seed in (7, 8))
    c = np.zeros(n * n, np.float32)
    load("matrices", cores, threads).product(a, b, c, n)
    np.testing.assert_allclose(c.reshape(n, n), a.reshape(n, n) @ b.reshape(n, n), rtol=1e-5)


@pytest.mark.parametrize("threads", [1, 8])
def test_the_scratchpad_is_filled_and_read_back_under_masks(threads: int) -> None:
    given, out = some_ints(64, 9), np.zeros(64, np.int32)
    load("scratchpad", threads=threads).turned(given, out, 5, 100)
    assert np.array_equal(out, np.roll(np.where(given < 100, given, -1), -5))


def test_the_scratchpad_has_initial_values() -> None:
    given, out = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
    load("scratchpad").scaled(given, out, 40)
    assert np.array_equal(out, given / 2)


@pytest.mark.parametrize("fpu", MODES)
def test_conversions_go_both_ways(fpu: str) -> None:
    a = np.array([0, 1, -1, 7, -8, 100, 2**30, -(2**31), 12345678, -12345678, 2, 3, 4, 5, 6, 2**24 + 1], np.int32)
    f = np.array([0, 0.5, 1.5, 2.75, 3, 1e6, 2e9, 1, 16777216, 5.99, 6, 7, 8, 9, 10, 11], np.float32)
    ints, floats, words = np.zeros(16, np.int32), np.zeros(32, np.float32), np.zeros(16, np.uint32)
    load("vectors", fpu=fpu).conversions(a, f, ints, floats, words)
    assert np.array_equal(ints, f.astype(np.int32))
    assert np.array_equal(words, f.astype(np.uint32))
    assert np.array_equal(floats, np.concatenate([a.astype(np.float32), a.view(np.uint32).astype(np.float32)]))


def test_lanes_are_shuffled() -> None:
    a, out = some_ints(16, 10), np.zeros(64, np.int32)
    load("vectors", threads=1).lanes(a, out)
    assert np.array_equal(out.reshape(4, 16), [a[::-1], np.roll(a, -3), np.full(16, a[5]), np.roll(a, 2)])


@pytest.mark.parametrize("threads", [1, 3, 8])
@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100, 129])
def test_neighbours_keep_their_values(n: int, threads: int) -> None:
    a, out = some_ints(144, 11), some_ints(144, 12)
    before = out.copy()
    load("vectors", threads=threads).halves(a, out, n)
    on = (np.arange(144) < n) & (a % 2 == 0)
    assert np.array_equal(out, np.where(on, a // 2, before))


@pytest.mark.parametrize("n", [1, 16, 50, 64])
def test_small_integers_are_packed_in_memory(n: int) -> None:
    a, b = some_ints(64, 13).astype(np.int8), some_ints(64, 14).astype(np.uint16)
    c, d = np.zeros(64, np.int8), np.zeros(64, np.uint16)
    load("vectors").bytes(a, b, c, d, n)
    assert np.array_equal(c[:n], (a + np.int8(1))[:n]) and not c[n:].any()
    assert np.array_equal(d[:n], (b * np.uint16(3))[:n]) and not d[n:].any()


@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("n", [3, 40, 67])
def test_unaligned_rows_are_written_without_their_neighbours(n: int, threads: int) -> None:
    a, out = some_ints(80, 15), some_ints(80, 16)
    expected = out.copy()
    expected[1 : n - 1] = a[: n - 2] + a[2:n]
    load("vectors", threads=threads).shifted(a, out, n)
    assert np.array_equal(out, expected)


def test_kernels_return_values() -> None:
    a = np.arange(100, dtype=np.float32)
    assert load("vectors").total(a, 100) == a.sum()


def test_pointers_lead_into_the_scratchpad_or_to_main_memory() -> None:
    out = np.zeros(22, np.int32)
    load("pointers", threads=1).sums(out)
    near, far, lanes = np.arange(1, 33), np.arange(100, 132), np.arange(16)
    assert out[:4].tolist() == [(near if i & 1 else far)[i : i + 8].sum() for i in range(4)]
    assert np.array_equal(out[4:20], np.where(lanes & 1, near[:16], far[:16]))
    near[1:16:2], far[0:16:2] = -lanes[1::2], -lanes[0::2]
    assert out[20:].tolist() == [near.sum(), far.sum()]
