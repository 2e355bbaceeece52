// claim: sincos gives the sine and the cosine of one argument
// expect: np.sin(f.astype(float)), np.cos(f.astype(float)), np.sin(i * 1e8) + np.cos(i * 1e8)
// tolerance: 2e-7
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float s, c;
        sincos(f[k], &s, &c);
        out[k] = s;
        out[n + k] = c;
        double sine, cosine;
        sincos(i[k] * 1.0d8, &sine, &cosine);
        out[2 * n + k] = sine + cosine;
    }
}
