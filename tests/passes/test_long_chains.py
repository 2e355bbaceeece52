"""Bodies in which each step waits for the one before are done for two gangs at once: any length, at both ends of memory."""

from __future__ import annotations

import numpy as np
import pytest
from guard_pages import Array
from judged_kernels import JudgedKernels

SOURCE = """
export void steps(uniform T to[], const uniform T by[], uniform int n) {
    foreach (i = 0 ... n) {
        T a = to[i], b = by[i];
        STEPS
        to[i] = a;
    }
}
"""
STEPS = {"unsigned int": "a = a * b ^ 5;", "float": "a = abs(a - b) + (T)2;"}
DTYPES = {"unsigned int": np.uint32, "float": np.float32}
LOOP = """
export void steps(uniform float to[], const uniform float by[], uniform int n, uniform float h) {
    foreach (i = 0 ... n) {
        float a = to[i], b = by[i];
        for (uniform int step = 0; step < 8; step++) {
            float c = b - a, d = 2 * a;
            c = a - 3 * c; d = d - c * (DIVIDED); a = a + 2 * d; a = b - a * HALF; a = b - a; a = 4 * b - a;
        }
        to[i] = a;
    }
}
"""


def source(element: str, count: int) -> str:
    return SOURCE.replace("STEPS", STEPS[element] * count).replace("T ", f"{element} ").replace("(T)", f"({element})")


def after(element: str, a: Array, b: Array, count: int) -> Array:
    for _ in range(count):
        a = a * b ^ np.uint32(5) if element == "unsigned int" else abs(a - b) + np.float32(2)
    return a


@pytest.mark.parametrize(
    ("element", "target"), [("unsigned int", "avx2-i32x8"), ("float", "avx2-i32x8"), ("float", "avx512skx-x16")]
)
def test_every_remainder_of_two_gangs(element: str, target: str) -> None:
    kernels = JudgedKernels(source(element, 32), target)
    width, dtype, random = kernels.width, DTYPES[element], np.random.default_rng(5)
    assert f"<{2 * width} x {'i32' if element != 'float' else 'float'}>" in kernels.text
    for n in (0, 1, width - 1, width, width + 1, *range(2 * width - 1, 2 * width + 2), 4 * width, 5 * width + 3):
        a, b = (random.integers(0, 99, n).astype(dtype) for _ in range(2))
        kernels.expect("steps", [a, b], (n,), after(element, a, b, 32), interpreted=n == 4 * width)
    kernels.check()


@pytest.mark.parametrize(("element", "count", "target"), [("float", 8, "avx2-i32x8"), ("float", 32, "avx2-i32x16")])
def test_short_bodies_and_wide_gangs_wait_less(element: str, count: int, target: str) -> None:
    kernels = JudgedKernels(source(element, count), target)
    assert f"<{2 * kernels.width} x float>" not in kernels.text


def test_many_quotients_keep_their_unit_busy() -> None:
    many = " + ".join(f"1 / (b + {number})" for number in range(8))
    assert "<16 x float>" not in JudgedKernels(LOOP.replace("DIVIDED", many).replace("HALF", "0.5f")).text


@pytest.mark.parametrize("divided", ["1 / h", "1 / b"])
def test_one_quotient_keeps_no_unit_busy(divided: str) -> None:
    """Of uniform numbers it is one for all lanes; one of each lane is found while the rest waits."""
    kernels = JudgedKernels(LOOP.replace("DIVIDED", divided).replace("HALF", "0.5f"))
    assert "<16 x float>" in kernels.text
    a, b = np.arange(37, dtype=np.float32) % 4, np.full(37, 2, np.float32)
    wanted: Array = a
    for _ in range(8):
        # All are whole or halves, and small: exact in any order.
        c, d = b - wanted, 2 * wanted
        c = wanted - 3 * c
        d = d - c / 2
        wanted = wanted + 2 * d
        wanted = b - wanted / 2
        wanted = 4 * b - (b - wanted)
        assert abs(wanted).max() < 2**20
    kernels.expect("steps", [a, b], (37, np.float32(2)), wanted, interpreted=True)
    kernels.check()
