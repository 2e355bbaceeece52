// claim: structs of 8, 16, 32 and 64 bit members keep their values apart, gathered and scattered
// expect: [(k * 3) & 0xff for k in range(40)], [-k for k in range(40)], [k * 2.0 ** 33 for k in range(40)], [k * 0.25 for k in range(40)]
struct Mixed { uint8 a; int16 b; int64 c; bool d; double e; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Mixed m[40];
    foreach (k = 0 ... 40) {
        int j = 39 - k;
        m[j].a = j * 3;
        m[j].b = -j;
        m[j].c = (int64)j << 33;
        m[j].d = j & 1;
        m[j].e = j * 0.25;
    }
    foreach (k = 0 ... 40) {
        Mixed v = m[k];
        out[k] = v.d == ((k & 1) != 0) ? v.a : 999;
        out[40 + k] = v.b;
        out[80 + k] = v.c;
        out[120 + k] = v.e;
    }
}
