// claim: calls pass many parameters of mixed types and rates
// expect: [float(k) + 2 * float(f[k]) + 3 * k * 1.0 + (k & 1) + 5.5 + k % 200 + 7 + float(f[0]) for k in range(n)]
static noinline double all(int a, float b, int64 c, bool d, uniform double e, uint8 g, uniform int8 h, uniform float *uniform p) {
    double r = a + 2 * (double)b + 3 * (double)c + e + g + h;
    if (d)
        r += 1;
    return r + *p;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = all(k, f[k], k, k & 1, 5.5, k % 200, 7, f);
}
