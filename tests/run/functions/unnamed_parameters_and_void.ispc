// claim: parameters may be unnamed, void functions return nothing
// expect: i + 1
static int first(int a, int, uniform float) {
    return a + 1;
}
static void nothing() {
    return;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        nothing();
        out[k] = first(i[k], 2, 3);
    }
}
