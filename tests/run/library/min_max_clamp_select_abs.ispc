// claim: min, max, clamp, select and abs on several types
// expect: np.minimum(f, 2), np.maximum(i, -3), np.clip(i, -10, 10), np.where(f > 0, np.abs(i), 100)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = min(f[k], 2.0);
        out[64 + k] = max(i[k], -3);
        out[128 + k] = clamp(i[k], -10, 10);
        out[192 + k] = select(f[k] > 0, abs(i[k]), 100);
    }
}
