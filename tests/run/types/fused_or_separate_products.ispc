// claim: a product and sum of small integers in floats is exact whether contracted or not
// expect: f * 2 + 3, (f.astype(np.float64) * i - f)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = f[k] * 2 + 3;
        double d = f[k];
        out[64 + k] = d * i[k] - d;
    }
}
