"""Under ``--opt=reset-ftz-daz`` denormals are zeros at every level, constants that are folded too."""

from __future__ import annotations

import numpy as np
import pytest
from run_programs import HOST_TARGETS

import voltac

SOURCE = """
export void f(uniform unsigned int bits[], uniform int out[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = floatbits(bits[i]);
        int found = 0;
        if (x == 0) found |= 1;
        if (x == 1.0e-40f) found |= 2;
        if (min(x, 1.0e-40f) == 0) found |= 4;
        if (max(x, 1.0e-40f) > 0) found |= 8;
        if (x * 0.5f == 0) found |= 16;
        if (abs(x) < 1.17549435e-38f) found |= 32;
        if (x > 0 && x < 1.0e-38f) found |= 64;
        if ((x > 2 ? x : 1.0e-40f) == 0) found |= 128;
        out[i] = found;
    }
}
"""
SMALLEST = np.float32(1.17549435e-38)
BITS = [0, 1, 0x80000001, 0x00400000, 0x007FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xFF800000, 0x80000000, 0x7F800000]


def expected(bits: int) -> int:
    """By hand: what is below the smallest normal number is zero, also the constant of 1e-40."""
    x = np.array([bits], np.uint32).view(np.float32)[0]
    x = np.float32(0) if abs(x) < SMALLEST else x
    tests = (x == 0, x == 0, min(x, 0) == 0, max(x, 0) > 0, abs(x * np.float32(0.5)) < SMALLEST, abs(x) < SMALLEST)
    return sum(bool(test) << at for at, test in enumerate((*tests, 0 < x < 1.0e-38, x <= 2)))


@pytest.mark.parametrize("target", HOST_TARGETS[::3], ids=lambda target: target.name)
def test_denormals_are_zeros_at_every_level(target: voltac.target_info.TargetInfo) -> None:
    bits = np.array(BITS * 3, np.uint32)
    for level in range(4):
        kernels = voltac.compile(SOURCE, target=target.name, opt=level, reset_ftz_daz=True)
        out = np.zeros(len(bits), np.int32)
        kernels.f(bits, out, len(bits))
        assert out.tolist() == [expected(each) for each in BITS] * 3, level
