"""Masks that programs write hold on behind the statement they are written in; expectations by hand."""

import numpy as np
import pytest

import voltac

KERNELS = """
export void branch(uniform int a[], uniform int n) {
    int v = programIndex;
    if (n > 3) {
        write_mask(0x00ff);
        v += 1;
        v += 2;
    } else
        v += 50;
    a[programIndex] = v;
    write_mask(0xffff);
    a[16 + programIndex] = v;
}
export void loop(uniform int a[], uniform int n) {
    int v = programIndex;
    for (uniform int k = 0; k < n; k++) {
        write_mask(0xf << 4 * k);
        v += 100;
    }
    v += 1000;
    a[programIndex] = v;
    write_mask(0xffff);
    a[16 + programIndex] = v;
}
export void choice(uniform int a[], uniform int n) {
    int v = programIndex;
    switch (n) {
    case 1:
        write_mask(0x000f);
        v += 1;
        break;
    case 2:
        write_mask(0xf000);
        v += 2;
        break;
    }
    v += 10;
    a[programIndex] = v;
}
"""
LANES = np.arange(16, dtype=np.int32)


def ran(kernel: str, n: int, opt: int) -> np.ndarray:
    k = voltac.compile(KERNELS, target="naplespu", opt=opt)
    getattr(k, kernel).configure(threads=1)
    a = np.full(32, -1, np.int32)
    getattr(k, kernel)(a, n)
    return a


@pytest.mark.parametrize("opt", [0, 1, 3])
def test_behind_a_branch(opt: int) -> None:
    low = LANES < 8
    written = ran("branch", 5, opt)
    assert (written[:16] == np.where(low, LANES + 3, -1)).all()
    assert (written[16:] == np.where(low, LANES + 3, LANES)).all()
    assert (ran("branch", 2, opt) == np.tile(LANES + 50, 2)).all()


@pytest.mark.parametrize("opt", [0, 1, 3])
def test_behind_a_loop(opt: int) -> None:
    written = ran("loop", 3, opt)
    third = (LANES >= 8) & (LANES < 12)
    assert (written[:16] == np.where(third, LANES + 1100, -1)).all()
    assert (written[16:] == np.where(LANES < 12, LANES + 100, LANES) + 1000 * third).all()
    assert (ran("loop", 0, opt) == np.tile(LANES + 1000, 2)).all()


@pytest.mark.parametrize("opt", [0, 1, 3])
@pytest.mark.parametrize(("n", "on"), [(1, LANES < 4), (2, LANES >= 12), (3, LANES >= 0)])
def test_behind_a_switch(n: int, on: np.ndarray, opt: int) -> None:
    expected = np.where(on, LANES + 10 + (n if n < 3 else 0), -1)
    assert (ran("choice", n, opt)[:16] == expected).all()
