// claim: negative varying offsets from a pointer into a local array of structs reach the right element
// expect: [100 - 3 * k for k in range(20)]
struct Pair { int a; int b; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Pair pairs[32];
    foreach (k = 0 ... 32) {
        pairs[k].a = 5 * k;
        pairs[k].b = 100 - 3 * (31 - k);
    }
    uniform Pair * uniform last = &pairs[31];
    foreach (k = 0 ... 20) {
        int back = -k;
        out[k] = last[back].b;
    }
}
