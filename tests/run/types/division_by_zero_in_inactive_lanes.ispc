// claim: an integer division by zero in an inactive lane is harmless
// expect: [100 // d if d else -1 for d in (k % 5 for k in range(n))], [100 % d if d else -1 for d in (k % 5 for k in range(n))], [1000 // d if d else 0 for d in (k % 3 for k in range(n))]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int d = k % 5, q = -1, r = -1;
        if (d != 0) {
            q = 100 / d;
            r = 100 % d;
        }
        out[k] = q;
        out[64 + k] = r;
        int64 e = k % 3, s = 0;
        if (e != 0)
            s = 1000 / e;
        out[128 + k] = s;
    }
}
