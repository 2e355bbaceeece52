// claim: double values are computed in 64 bits
// expect: f.astype(np.float64) / 3, f.astype(np.float64) * i, np.sqrt(np.abs(f).astype(np.float64))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        double d = f[k];
        out[k] = d / 3;
        out[64 + k] = d * i[k];
        out[128 + k] = sqrt(abs(d));
    }
}
