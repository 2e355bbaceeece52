// claim: pow with a constant, whole, a root, or as the base, comes close to its mathematical value
// tolerance: 4e-7
// expect: (1 + np.abs(f).astype(np.float64) / 64) ** 7 + 10 ** (i / 16.0) * (1 + np.abs(f) / 64) ** -3 + (1 + np.abs(f) / 64) ** 1.5
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float size = 1 + abs(f[k]) * 0.015625f;
        double exact = size;
        out[k] = (double)pow(size, 7) + pow(10.0d, i[k] * 0.0625d) * pow(exact, -3) + pow(exact, 1.5d);
    }
}
