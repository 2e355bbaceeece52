// claim: sqrt is correctly rounded, rsqrt and rcp are close
// tolerance: 4e-7
// expect: np.sqrt(np.abs(f)), 1 / np.sqrt(np.abs(f) + 1), 1 / (f + np.float32(40))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float a = abs(f[k]);
        out[k] = sqrt(a);
        out[64 + k] = rsqrt(a + 1);
        out[128 + k] = rcp(f[k] + 40);
    }
}
