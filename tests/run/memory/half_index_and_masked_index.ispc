// claim: quotients and rounded-down indices read the element they name
// expect: [f[k // 2] for k in range(n)], [f[k & ~3] for k in range(n)], [f[k // 4 * 2 + 1] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = f[k / 2];
        out[64 + k] = f[k & ~3];
        out[128 + k] = f[k / 4 * 2 + 1];
    }
}
