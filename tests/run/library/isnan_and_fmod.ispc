// claim: isnan finds NaN, fmod is exact with the sign of its first operand
// expect: [1, 0], np.fmod(f, np.float32(1.75))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float zero = f[0] - f[0];
    out[0] = isnan(zero / zero);
    out[1] = isnan(f[1]);
    foreach (k = 0 ... n)
        out[2 + k] = fmod(f[k], 1.75);
}
