// claim: missing arguments take their default values
// expect: i + 5, i + 3, i * 2 + 1
static int f3(int a, int b = 3, uniform int c = 1) {
    return a * c + b;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = f3(i[k], 5);
        out[64 + k] = f3(i[k]);
        out[128 + k] = f3(i[k], 1, 2);
    }
}
