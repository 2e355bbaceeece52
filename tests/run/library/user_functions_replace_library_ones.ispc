// claim: a function of the program with the signature of a library function replaces it
// expect: f * 0 + 42, np.abs(i)
static float abs(float v) {
    return 42;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = abs(f[k]);
        out[64 + k] = abs(i[k]);
    }
}
