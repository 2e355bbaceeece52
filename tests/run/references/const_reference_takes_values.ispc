// claim: a const reference parameter accepts a temporary
// expect: 3 * i + 1
static int triple(const int &v) {
    return 3 * v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k];
        out[k] = triple(v + 0) + 1;
    }
}
