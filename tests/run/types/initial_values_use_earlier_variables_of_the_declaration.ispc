// claim: an initial value may use the variables declared before it in the same declaration
// expect: i * 3 + 1
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int a = i[k], b = a + a, c = b + a + 1;
        out[k] = c;
    }
}
