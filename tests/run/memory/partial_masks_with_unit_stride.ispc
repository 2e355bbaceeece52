// claim: unit-stride loads and stores under a divergent mask touch active lanes only
// expect: np.where(i > 0, f, 5), np.where((i > 0) & (f < 0), f, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = 5;
        if (i[k] > 0) {
            out[k] = f[k];
            if (f[k] < 0)
                out[64 + k] = f[k];
        }
    }
}
