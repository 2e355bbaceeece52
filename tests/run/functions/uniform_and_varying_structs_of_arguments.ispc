// claim: uniform arguments are broadcast to varying parameters before the call
// expect: i + 5.5
struct Pair { int a; float b; };
static noinline float sum(int v, Pair p) {
    return v + p.a + p.b;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Pair p = { 3, 2.5 };
    foreach (k = 0 ... n)
        out[k] = sum(i[k], p);
}
