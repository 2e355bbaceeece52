// claim: pow comes close to its mathematical value
// tolerance: 4e-6
// expect: np.power(np.abs(f).astype(np.float64) * 0.125 + 0.25, i * 0.0625)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = pow(abs(f[k]) * 0.125 + 0.25, i[k] * 0.0625);
}
