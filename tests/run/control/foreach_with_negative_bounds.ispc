// claim: the bounds of a foreach may be negative
// expect: np.arange(-9, 9)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = -9 ... 9)
        out[k + 9] = k;
}
