// claim: uniform and varying indices mix in one access
// expect: [10 * (k % 3) + 2 for k in range(n)], [10 + k % 4 for k in range(n)], [10 * (k % 3) + k % 4 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int t[3][4];
    foreach (a = 0 ... 3, b = 0 ... 4)
        t[a][b] = 10 * a + b;
    foreach (k = 0 ... n) {
        uniform int one = 1;
        out[k] = t[k % 3][one + 1];
        out[64 + k] = t[one][k % 4];
        out[128 + k] = t[k % 3][k % 4];
    }
}
