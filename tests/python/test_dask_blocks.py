"""``voltac.dask``: kernels over blocks give what numpy gives, in threads and in processes of a cluster."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest

import voltac
from voltac.dask import map_blocks, map_overlap

PROGRAM = """
export void saxpy(uniform float s, uniform float x[n], uniform float y[n], uniform float out[n], uniform int n) {
    foreach (i = 0 ... n) out[i] = s * x[i] + y[i];
}
export void scale(uniform float values[n], uniform float by, uniform int n) { foreach (i = 0 ... n) values[i] *= by; }
export void smooth(uniform float x[n], uniform float out[n], uniform int n) {
    foreach (i = 1 ... n - 1) out[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}
export void laplace(uniform float a[], uniform float out[], uniform int rows, uniform int columns) {
    foreach (y = 1 ... rows - 1, x = 1 ... columns - 1) {
        uniform int w = columns;
        out[y * w + x] = a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x] - 4 * a[y * w + x];
    }
}
export uniform float sum(uniform float x[n], uniform int n) {
    varying float total = 0;
    foreach (i = 0 ... n) total += x[i];
    return reduce_add(total);
}
export void row_sums(uniform float a[], uniform double out[n], uniform int n, uniform int columns) {
    foreach (y = 0 ... n) {
        double total = 0;
        for (uniform int x = 0; x < columns; ++x) total += a[y * columns + x];
        out[y] = total;
    }
}
export void both(uniform float a[n], uniform float b[n], uniform int n) { foreach (i = 0 ... n) { a[i] = i; b[i] = i; } }
export void fail(uniform float x[n], uniform float out[n], uniform int n) { assert(n < 10); out[0] = 0; }
"""


@pytest.fixture(scope="module")
def k() -> voltac.KernelModule:
    return voltac.compile(PROGRAM, file="blocks.ispc")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    with dask.config.set(scheduler="threads"):
        yield


def numbers(*shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(1).random(shape, np.float32)


def test_lengths_and_the_result_are_filled_in(k: voltac.KernelModule) -> None:
    x, y = numbers(2, 1000)
    for chunks in (100, 333, 1000):
        blocks = map_blocks(k.saxpy, 2.0, da.from_array(x, chunks), da.from_array(y, chunks))
        assert blocks.dtype == np.float32 and blocks.shape == (1000,)
        np.testing.assert_allclose(blocks.compute(), 2 * x + y, rtol=1e-6)


def test_blocks_may_have_several_axes_and_lie_in_any_order(k: voltac.KernelModule) -> None:
    x, y = numbers(2, 40, 30)
    first, second = da.from_array(np.asfortranarray(x), (20, 15)), da.from_array(y, (20, 15))[:, ::-1]
    np.testing.assert_allclose(map_blocks(k.saxpy, 3.0, first, second).compute(), 3 * x + y[:, ::-1], rtol=1e-6)
    one = da.from_array(np.full((), 2, np.float32))
    assert map_blocks(k.scale, one, 3.0).compute() == 6


def test_arguments_go_by_name_and_arrays_of_numpy_go_to_every_block(k: voltac.KernelModule) -> None:
    x, y = numbers(2, 100)
    table = map_blocks(k.saxpy, y=y[:50], x=da.from_array(x, 50), s=1.0)
    np.testing.assert_allclose(table.compute(), x + np.tile(y[:50], 2), rtol=1e-6)


def test_what_works_in_place_works_on_a_copy(k: voltac.KernelModule) -> None:
    x = numbers(100)
    before = x.copy()
    for made in (map_blocks(k.scale, da.from_array(x, 30), 3.0), map_blocks(k.scale, values=da.from_array(x, 30), by=3.0)):
        np.testing.assert_allclose(made.compute(), 3 * before, rtol=1e-6)
    assert (x == before).all()


def test_a_kernel_that_gives_a_number_makes_one_of_each_block(k: voltac.KernelModule) -> None:
    x = numbers(60, 40)
    sums = map_blocks(k.sum, da.from_array(x, (20, 20)))
    assert sums.shape == (3, 2) and sums.dtype == np.float32
    np.testing.assert_allclose(sums.compute(), x.reshape(3, 20, 2, 20).sum((1, 3)), rtol=1e-5)
    np.testing.assert_allclose(sums.sum().compute(), x.sum(), rtol=1e-5)


def test_blocks_of_another_shape_and_type(k: voltac.KernelModule) -> None:
    x = numbers(60, 40)
    blocks = da.from_array(x, (20, 40))
    made = da.map_blocks(lambda block: block[:, 0], blocks, drop_axis=1)
    assert made.shape == (60,)
    sums = map_blocks(k.row_sums, blocks, columns=40, n=20, chunks=((20, 20, 20), (1,)))
    assert sums.dtype == np.float64 and sums.shape == (60, 1)
    np.testing.assert_allclose(sums.compute()[:, 0], x.sum(1, dtype=float), rtol=1e-6)


@pytest.mark.parametrize("boundary", ["reflect", "periodic", "nearest", 0.0])
def test_a_stencil_sees_its_neighbours(k: voltac.KernelModule, boundary: object) -> None:
    x = numbers(1000)
    padded = np.pad(x, 1, {"reflect": "symmetric", "periodic": "wrap", "nearest": "edge", 0.0: "constant"}[boundary])  # type: ignore[call-overload]
    expected = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    made = map_overlap(k.smooth, da.from_array(x, 130), depth=1, boundary=boundary)
    np.testing.assert_allclose(made.compute(), expected, rtol=1e-5)


def test_a_stencil_of_two_axes_takes_the_extents_of_each_block(k: voltac.KernelModule) -> None:
    a = numbers(70, 50)
    made = map_overlap(
        k.laplace,
        da.from_array(a, (32, 16)),
        depth=1,
        rows=lambda block: block.shape[0],
        columns=lambda block: block.shape[1],
    )
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - 4 * a[1:-1, 1:-1]
    np.testing.assert_allclose(made.compute(), expected, atol=1e-5)


def test_equal_calls_have_equal_names(k: voltac.KernelModule) -> None:
    x = da.from_array(numbers(10), 5)
    first, second, third = (map_blocks(voltac.compile(PROGRAM).scale, x, by) for by in (2.0, 2.0, 3.0))
    assert first.name == second.name != third.name and first.name.startswith("scale-")


def test_what_fits_no_call_is_said_before_anything_runs(k: voltac.KernelModule) -> None:
    x = da.from_array(numbers(100), 50)
    for call, error, text in (
        (
            lambda: map_blocks(k.saxpy, 2.0, x.astype(float), x),
            TypeError,
            r"'x' .* must be an array of float32.*x.astype\(np.float32",
        ),
        (lambda: map_blocks(k.saxpy, 2.0, x), TypeError, r"saxpy\(\) lacks 'y'"),
        (lambda: map_blocks(k.saxpy, 2.0, x, x, x), TypeError, r"takes 3 arguments here \(s, x, y\), and 4 are given"),
        (lambda: map_blocks(k.saxpy, x, x, x), TypeError, r"'s' .* takes no array"),
        (lambda: map_blocks(k.saxpy, 2.0, x, outt=x), TypeError, r"no parameter 'outt'; did you mean 'out'"),
        (lambda: map_blocks(k.both), TypeError, r"several arrays \(a, b\): say with out= which"),
        (lambda: map_blocks(k.both, x, out="c"), ValueError, "no array of that name"),
        (lambda: map_blocks(k.scale, numbers(3), 2.0), TypeError, "is given no dask array"),
        (lambda: map_blocks(abs, x), TypeError, r"must be a kernel, k\.name"),  # type: ignore[arg-type]
        (lambda: map_overlap(k.sum, x, depth=1), TypeError, "nothing to cut the overlap off"),
    ):
        with pytest.raises(error, match=text):
            call()  # type: ignore[no-untyped-call]


def test_a_failure_in_a_block_is_raised_as_it_is(k: voltac.KernelModule) -> None:
    with pytest.raises(AssertionError, match=r"blocks\.ispc"):
        map_blocks(k.fail, da.from_array(numbers(100), 50)).compute()


def test_the_error_without_dask_says_what_to_install() -> None:
    code = "import sys\nsys.modules['dask'] = None\nimport voltac.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip().endswith("ImportError: voltac.dask needs dask: pip install 'voltac[dask]'")


def smoothed(x: Any) -> Any:
    return 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]


@pytest.mark.whole
def test_a_cluster_smooths_an_array_that_no_worker_could_hold(k: voltac.KernelModule) -> None:
    limit, count, block = 230_000_000, 60_000_000, 1_250_000
    distributed = pytest.importorskip("distributed")
    # A worker that exceeds the limit is ended, which is a failure; one that pauses would be waited for without end.
    settings = {f"distributed.worker.memory.{step}": False for step in ("target", "spill", "pause")}
    with warnings.catch_warnings(), dask.config.set(settings | {"scheduler": None}):
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, memory_limit=limit, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            x = (da.arange(count, chunks=block, dtype=np.int32) % 1009).astype(np.float32)
            assert x.nbytes > limit
            made = map_overlap(k.smooth, x, depth=1, boundary="none")
            expected = smoothed(np.tile(np.arange(1009, dtype=np.float32), 3))
            # Each worker reduces its blocks: what is compared came from machine code there, and from numpy here.
            sums = client.compute(made.map_blocks(lambda part: np.array([part.sum(dtype=float)]), chunks=(1,))).result()
            ends = client.compute([made[:1008], made[block - 500 : block + 500]], sync=True)
            workers = client.run(lambda: sorted(name for name in __import__("sys").modules if name == "llvmlite"))
    whole = (np.arange(count, dtype=np.int32) % 1009).astype(np.float32)
    right = smoothed(whole)
    np.testing.assert_allclose(ends[0][1:], expected[:1007], rtol=1e-6)
    np.testing.assert_allclose(ends[1], right[block - 501 : block + 499], rtol=1e-6)
    starts = np.arange(0, count, block)
    padded = np.concatenate([[0], right, [0]])
    np.testing.assert_allclose(sums, np.add.reduceat(padded, starts, dtype=float), rtol=1e-9)
    assert set(map(tuple, workers.values())) == {()}, "workers found the code in the cache"
