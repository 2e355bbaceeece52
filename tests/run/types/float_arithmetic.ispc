// claim: float values are computed in 32 bits, each operation rounded
// expect: f / np.float32(3), f * i.astype(np.float32), (f - np.float32(0.1)).astype(np.float64), np.float32(1) / (f + np.float32(100))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float v = f[k];
        out[k] = v / 3;
        out[64 + k] = v * i[k];
        out[128 + k] = v - 0.1;
        out[192 + k] = 1 / (v + 100);
    }
}
