"""``voltac.strided``: kernels that take steps work on views in place; numpy's indexing of the same view is the judge."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import voltac

SOURCE = """
export void scale(uniform float a[], uniform int n, uniform int step, uniform float by) {
    foreach (i = 0 ... n)
        a[i * step] *= by;
}
export void add(uniform const double a[], uniform double out[], uniform int h, uniform int w, uniform int ar, uniform int ac,
        uniform int br, uniform int bc) {
    foreach (y = 0 ... h, x = 0 ... w)
        out[y * br + x * bc] += a[y * ar + x * ac];
}
"""


@pytest.fixture(scope="module")
def kernels() -> Any:
    return voltac.compile(SOURCE)


@pytest.mark.parametrize("count", [0, 1, 5, 16, 100])
@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_column_is_worked_on_in_place(kernels: Any, count: int, step: int) -> None:
    image = np.arange(count * step, dtype=np.float32).reshape(count, step)
    for column in range(step):
        expected = image.copy()
        expected[:, column] *= 2
        memory, distance = voltac.strided(image[:, column])
        assert np.shares_memory(memory, image) == (count > 0)
        kernels.scale(memory, count, distance, 2)
        np.testing.assert_array_equal(image, expected)


@pytest.mark.parametrize("seed", range(20))
def test_random_views_of_two_axes_are_worked_on_in_place(kernels: Any, seed: int) -> None:
    pick = random.Random(seed)
    whole = [np.arange(600.0).reshape(20, 30), np.arange(600.0).reshape(20, 30) / 7]
    h, w = pick.randrange(1, 7), pick.randrange(1, 9)
    views = []
    for array in whole:
        if pick.random() < 0.3:
            array = array.T
        rows, columns = pick.randrange(1, 3), pick.randrange(1, 3)
        views.append(array[pick.randrange(4) :: rows, pick.randrange(4) :: columns][:h, :w])
    expected = whole[1].copy()
    # The same view of the copy.
    kept = np.lib.stride_tricks.as_strided(
        expected.reshape(-1)[(views[1].__array_interface__["data"][0] - whole[1].__array_interface__["data"][0]) // 8 :],
        views[1].shape,
        views[1].strides,
    )
    kept += views[0]
    a, *a_steps = voltac.strided(views[0])
    out, *out_steps = voltac.strided(views[1])
    kernels.add(a, out, h, w, *a_steps, *out_steps)
    np.testing.assert_array_equal(whole[1], expected)


def test_lengths_are_those_of_the_view(kernels: Any) -> None:
    """What lies behind its last element is not the kernel's."""
    image = np.ones((10, 3), np.float32)
    memory, step = voltac.strided(image[:9, 1])
    with pytest.raises(ValueError, match=r"at least 28 elements.*uses a\[27\] where"):
        kernels.scale(memory, 10, step, 2)
    assert (image == 1).all()


def test_read_only_views_stay_so(kernels: Any) -> None:
    fixed = np.broadcast_to(np.float32(2), (4, 5))
    memory, rows, columns = voltac.strided(fixed)
    assert (memory.tolist(), rows, columns) == ([2], 0, 0)
    with pytest.raises(ValueError, match="writable"):
        kernels.scale(memory, 1, 1, 2)


def test_what_has_no_whole_steps_forward_is_refused() -> None:
    x = np.zeros(9, np.float32)
    with pytest.raises(ValueError, match=r"no negative steps.*\(9,\).*\(-4,\)"):
        voltac.strided(x[::-1])
    points = np.zeros(4, [("a", "u1"), ("b", "f4")])
    with pytest.raises(ValueError, match=r"no whole number of elements apart; give the call copy=True"):
        voltac.strided(points["b"])
    for other in ([1, 2], np.ma.masked_array(x), np.array([None])):
        with pytest.raises(TypeError, match="takes an array of numbers, not"):
            voltac.strided(other)  # type: ignore[arg-type]
