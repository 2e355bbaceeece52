// claim: array members are indexed by uniform and varying indices
// expect: [k % 3 * 10 + k for k in range(n)], [sum(range(4))]
struct Rows { int count; int v[4]; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Rows r;
        r.count = 3;
        for (uniform int j = 0; j < 3; j++)
            r.v[j] = 10 * j + k;
        out[k] = r.v[k % r.count];
    }
    uniform Rows u = { 4, { 0, 1, 2, 3 } };
    uniform int s = 0;
    for (uniform int j = 0; j < u.count; j++)
        s += u.v[j];
    out[64] = s;
}
