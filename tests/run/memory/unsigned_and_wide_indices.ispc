// claim: indices may be of any integer type
// expect: [f[(k * 3) & 63] for k in range(n)], [f[63 - k] for k in range(n)], [f[k & 15] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint a = (k * 3) & 63;
        int64 b = 63 - k;
        uint8 c = k & 15;
        out[k] = f[a];
        out[64 + k] = f[b];
        out[128 + k] = f[c];
    }
}
