// claim: neighbouring elements are read across group borders, not beyond the ends
// expect: [0], f[:-2] + f[1:-1] * 2 + f[2:], [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 1 ... n - 1)
        out[k] = f[k - 1] + 2 * f[k] + f[k + 1];
}
