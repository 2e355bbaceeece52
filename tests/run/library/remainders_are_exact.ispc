// claim: fmod is exact, with the sign of its first argument
// expect: np.fmod(f, 0.375), np.fmod(i * 1e15, f + 0.0625), np.fmod(np.float32(1e30) * f, np.float32(3)), np.fmod(5e-324 * (i + 100), 1.5e-323)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = fmod(f[k], 0.375f);
        out[n + k] = fmod(i[k] * 1.0d15, (double)f[k] + 0.0625d);
        out[2 * n + k] = fmod(1e30f * f[k], 3.0f);
        out[3 * n + k] = fmod(doublebits((uint64)(i[k] + 100)), doublebits((uint64)3));
    }
}
