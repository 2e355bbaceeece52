// claim: even and odd elements are separated and put together again
// expect: f[0:64:2], f[1:64:2], [-v for v in f]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float even[32], odd[32];
    foreach (k = 0 ... 32) {
        even[k] = f[2 * k];
        odd[k] = f[2 * k + 1];
    }
    foreach (k = 0 ... 32) {
        out[k] = even[k];
        out[32 + k] = odd[k];
    }
    foreach (k = 0 ... 32) {
        out[64 + 2 * k] = -even[k];
        out[65 + 2 * k] = -odd[k];
    }
}
