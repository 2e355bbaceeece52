// claim: ldexp multiplies by a power of two with one rounding, frexp takes the fields apart
// expect: np.ldexp(f, i), np.ldexp(np.float32(1.3) * f, -140 - (i & 7)), np.ldexp(f.astype(float), i * 20), np.where(f == 0, 0.5, np.frexp(f)[0]) + 1000.0 * np.where(f == 0, -126, np.frexp(f)[1])
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = ldexp(f[k], i[k]);
        out[n + k] = ldexp(1.3f * f[k], -140L - (i[k] & 7));
        out[2 * n + k] = ldexp((double)f[k], i[k] * 20);
        int power;
        float part = frexp(f[k], &power);
        out[3 * n + k] = part + 1000.0d * power;
    }
}
