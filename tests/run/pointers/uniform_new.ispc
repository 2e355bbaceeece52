// claim: uniform new allocates once, with an initial value if one is given
// expect: f[:40] * 2, [42, 1, 2.5]
struct Pair { int a; float b; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform p = uniform new uniform float[40];
    foreach (k = 0 ... 40)
        p[k] = f[k] * 2;
    foreach (k = 0 ... 40)
        out[k] = p[k];
    delete[] p;
    uniform int * uniform q = uniform new uniform int(42);
    out[40] = *q;
    delete q;
    uniform Pair * uniform pair = uniform new uniform Pair(1, 2.5);
    out[41] = pair->a;
    out[42] = pair->b;
    delete pair;
}
