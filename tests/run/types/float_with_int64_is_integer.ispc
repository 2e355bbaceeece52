// claim: float combined with a 64-bit integer is an integer operation
// expect: [int(x) * 2 for x in i], [int(x) + int(y) for x, y in zip(i, f)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int64 v = i[k];
        out[k] = v * 2.75;
        out[64 + k] = v + f[k];
    }
}
