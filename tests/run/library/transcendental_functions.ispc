// claim: exp, log, sin, cos and pow come close to their mathematical values
// tolerance: 4e-6
// where:
//   d = f.astype(np.float64)
// expect: np.exp(d * 0.25), np.log(np.abs(d) + 0.5), np.sin(d), np.cos(d)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = exp(f[k] * 0.25);
        out[64 + k] = log(abs(f[k]) + 0.5);
        out[128 + k] = sin(f[k]);
        out[192 + k] = cos(f[k]);
    }
}
