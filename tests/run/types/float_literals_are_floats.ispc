// claim: a literal without suffix is a float, also beside a double
// expect: f.astype(np.float64) * np.float64(np.float32(0.1)), f.astype(np.float64) * 0.1, [150.0, float(np.float32(1e-3)), 12.0, 1.5]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        double d = f[k];
        out[k] = d * 0.1;
        out[64 + k] = d * 0.1d;
    }
    out[128] = 1.5d+2;
    out[129] = 1e-3;
    out[130] = 0x1.8p3;
    out[131] = 1.5f;
}
