// claim: elements of an soa array are read and written one by one and as a whole, by uniform and varying index
// expect: [10 * (k % 12) + 2 for k in range(n)], [k % 12 for k in range(n)], [33, 2]
struct Point { int a; int b[2]; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<4> Point p[12];
    for (uniform int k = 0; k < 12; k++) {
        p[k].a = k;
        p[k].b[0] = 10 * k;
        p[k].b[1] = 2;
    }
    foreach (k = 0 ... n) {
        Point v = p[k % 12];
        out[k] = v.b[0] + v.b[1];
        out[64 + k] = p[k % 12].a;
    }
    p[3].a = 33;
    uniform Point u = p[3];
    out[128] = u.a;
    out[129] = u.b[1];
}
