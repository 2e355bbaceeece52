// claim: struct values returned under divergent masks merge member by member
// expect: [k if k % 3 == 0 else -k for k in range(n)], [1 if k % 3 == 0 else 2 for k in range(n)]
struct Pair { int a; int b; };
static noinline Pair pick(int k) {
    Pair p = { k, 1 };
    if (k % 3 == 0)
        return p;
    p.a = -k;
    p.b = 2;
    return p;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Pair p = pick(k);
        out[k] = p.a;
        out[64 + k] = p.b;
    }
}
