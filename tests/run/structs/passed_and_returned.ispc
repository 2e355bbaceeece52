// claim: structs are passed by value and returned, uniform and varying
// expect: i + 1, -f, [11, 30]
struct Pair { int a; float b; };
static noinline Pair change(Pair p) {
    p.a += 1;
    p.b = -p.b;
    return p;
}
static noinline uniform Pair make(uniform int a, uniform float b) {
    uniform Pair p = { a, b };
    return p;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Pair p = { i[k], f[k] };
        Pair q = change(p);
        out[k] = q.a;
        out[64 + k] = q.b;
    }
    uniform Pair u = make(11, 30);
    out[128] = u.a;
    out[129] = u.b;
}
