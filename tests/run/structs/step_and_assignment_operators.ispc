// claim: prefix, postfix and assignment operators of structs are called with the place they change
// expect: [5, 6, 7, 6, 60, 1]
struct Count { int v; };
static uniform Count operator++(uniform Count &c) {
    c.v = c.v + 1;
    return c;
}
static uniform Count operator++(uniform Count &c, uniform int unused) {
    uniform Count old = c;
    c.v = c.v + 1;
    return old;
}
static void operator*=(uniform Count &c, uniform int by) {
    c.v *= by;
}
static uniform bool operator<(uniform Count a, uniform Count b) {
    return a.v < b.v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Count c = { 5 };
    out[0] = c.v;
    uniform Count a = ++c;
    out[1] = a.v;
    uniform Count b = c++;
    out[2] = c.v;
    out[3] = b.v;
    b *= 10;
    out[4] = b.v;
    out[5] = a < b ? 1 : 0;
}
