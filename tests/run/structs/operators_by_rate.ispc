// claim: operators may be overloaded by rate, the uniform one is taken for uniform operands
// expect: [1, 2], [7]
struct V { int x; };
static uniform V operator+(uniform V a, uniform V b) {
    uniform V r = { 1 };
    return r;
}
static V operator+(V a, V b) {
    V r = { 2 };
    return r;
}
static V operator++(V &a) {
    a.x += 6;
    return a;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform V u = { 0 };
    V v = { 1 };
    uniform V a = u + u;
    V b = v + u;
    out[0] = a.x;
    out[1] = extract(b.x, 0);
    ++v;
    out[2] = extract(v.x, programCount - 1);
}
