"""Sums of floats whose terms take long are added up in the order as written, though two gangs' terms are computed at once."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels

SOURCE = """
export void sums(uniform float out[], const uniform float by[], uniform int n) {
    float sum = 0, least = 100, before = 0;
    foreach (i = 0 ... n) {
        float a = by[i], b = 3;
        STEPS
        before = sum;
        if (a > 2.5f) sum += a;
        least = min(least, a);
    }
    out[programIndex] = sum;
    out[programCount + programIndex] = least;
    out[2 * programCount + programIndex] = before;
}
export void of_no_array(uniform float out[], uniform float by, uniform int n) {
    float sum = 0;
    foreach (i = 0 ... n) {
        float a = i * by, b = 3;
        STEPS
        sum += a;
    }
    out[programIndex] = sum;
}
export void of_the_gang_before(uniform float out[], const uniform float by[], uniform int n) {
    float sum = 0, before = 0;
    foreach (i = 0 ... n) {
        float a = by[i], b = 3;
        STEPS
        sum += before;
        before = a;
    }
    out[programIndex] = sum;
}
""".replace("STEPS", "a = abs(a - b) + 2; " * 20)


def stepped(a: Array) -> Array:
    for _ in range(20):
        a = abs(a - np.float32(3)) + np.float32(2)
    return a


def gangs(a: Array, width: int) -> list[tuple[int, Array]]:
    return [(min(width, len(a) - begin), a[begin : begin + width]) for begin in range(0, len(a), width)]


@pytest.fixture(scope="module")
def kernels() -> JudgedKernels:
    return JudgedKernels(SOURCE)


def test_terms_are_added_as_written(kernels: JudgedKernels) -> None:
    width = kernels.width
    for n in (0, 1, width, 2 * width, 3 * width - 1, 4 * width, 7 * width + 3):
        by = np.random.default_rng(n).uniform(0, 1e3, n).astype(np.float32)
        out = np.repeat(np.array([0, 100, 0], np.float32), width)
        total, least, before = out[:width], out[width : 2 * width], out[2 * width :]
        for count, a in gangs(stepped(by), width):
            before[:count] = total[:count]
            total[:count] += np.where(a > 2.5, a, np.float32(0))
            least[:count] = np.minimum(least[:count], a)
        kernels.expect("sums", [np.zeros(3 * width, np.float32), by], (n,), out, interpreted=n == 3 * width - 1)
        late, before = np.zeros(width, np.float32), np.zeros(width, np.float32)
        for count, a in gangs(stepped(by), width):
            late[:count] += before[:count]
            before[:count] = a
        kernels.expect("of_the_gang_before", [np.zeros(width, np.float32), by], (n,), late, interpreted=False)
        total = np.zeros(width, np.float32)
        for count, a in gangs(stepped(np.arange(n, dtype=np.float32) * np.float32(0.375)), width):
            total[:count] += a
        kernels.expect("of_no_array", [np.zeros(width, np.float32)], (np.float32(0.375), n), total, interpreted=n == 4 * width)
    kernels.check()
    assert "<16 x float>" in kernels.text
