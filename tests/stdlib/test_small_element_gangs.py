"""On targets named after 8 and 16 bit elements literals are small types (language 2.4); the library means the same there."""

import numpy as np
import pytest
from kernels import compile_kernels

SOURCE = """\
export void f(uniform int a[], uniform int b[], uniform int8 c[], uniform float g[], uniform int n) {
    foreach (i = 0 ... n) {
        a[i] = saturating_add(a[i], b[i]);
        c[i] = saturating_mul(c[i], (int8)3);
        int exponent;
        g[i] = frexp(g[i], &exponent);
        b[i] = exponent;
    }
}
"""


@pytest.mark.parametrize("name", ["avx2-i8x32", "avx2-i16x16", "sse4-i8x16", "sse4-i16x8"])
def test_saturation_and_exponents_do_not_depend_on_the_gang(name: str) -> None:
    a = np.array([2**31 - 1, -(2**31), 5, 7] * 10, np.int32)
    b = np.array([10, -10, 6, -9] * 10, np.int32)
    c = np.array([100, -100, 20, 3] * 10, np.int8)
    g = np.linspace(1, 1000, 40).astype(np.float32)
    sums = np.clip(a.astype(np.int64) + b, -(2**31), 2**31 - 1)
    products = np.clip(c.astype(int) * 3, -128, 127)
    mantissas, exponents = np.frexp(g)
    compile_kernels(SOURCE, target=name).f(a, b, c, g, 40)
    assert (a == sums).all() and (c == products).all() and (g == mantissas).all() and (b == exponents).all()
