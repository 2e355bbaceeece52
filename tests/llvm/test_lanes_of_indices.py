"""Elements at places that LLVM knows to be small are loaded from there, on every target.

Two indices of 32 bits are taken out of vectors as one word of 64: LLVM 22 leaves out the ``and`` that cuts off the upper
one, where it sees that lanes are the smaller of a number and the same less 5 (as ``% 5`` of three bits is).
"""

import numpy as np
import pytest
from kernels import compile_kernels

SOURCE = """
export void own(uniform int to[], uniform int given[], uniform int n) {
    foreach (i = 0 ... n) {
        int a = given[i];
        bool mine[5];
        for (uniform int j = 0; j < 5; j++) mine[j] = (a + j) % 3 == 0;
        to[i] = mine[((a + i) & 7) % 5] ? 1 : 0;
    }
}
export void shared(uniform int to[], uniform int given[], uniform uint8 table[], uniform int n) {
    foreach (i = 0 ... n) to[i] = table[4 * (((unsigned int)given[i] & 7) % 5)];
}
"""


@pytest.mark.parametrize("target", ["sse2-i32x4", "sse4-i32x8", "avx2-i32x4", "avx2-i32x8", "avx512skx-x16"])
def test_small_remainders_are_places(target: str) -> None:
    kernels = compile_kernels(SOURCE, target)
    given, at = np.random.default_rng(1).integers(0, 1000, 43).astype(np.int32), np.arange(43)
    to, table = np.zeros(43, np.int32), np.arange(20, dtype=np.uint8)
    kernels.own(to, given, 43)
    assert np.array_equal(to, (given + ((given + at) & 7) % 5) % 3 == 0)
    kernels.shared(to, given, table, 43)
    assert np.array_equal(to, table[4 * ((given & 7) % 5)])
