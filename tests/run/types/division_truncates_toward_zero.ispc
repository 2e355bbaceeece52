// claim: integer division truncates toward zero and the remainder has the sign of the dividend
// where:
//   q = [abs(int(a)) // abs(d) * (1 if (a < 0) == (d < 0) else -1) for k, a in enumerate(i) for d in [k % 9 - 4 or 5]]
//   r = [int(a) - x * (k % 9 - 4 or 5) for k, (a, x) in enumerate(zip(i, q))]
// expect: q, r, [-3, -1, -4]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int d = k % 9 - 4;
        if (d == 0)
            d = 5;
        out[k] = i[k] / d;
        out[64 + k] = i[k] % d;
    }
    uniform int m = n - 71;
    out[128] = m / 2;
    out[129] = m % 2;
    out[130] = (m - 1) >> 1;
}
