// claim: strides of two, three and minus one are read in order
// expect: f[0:42:2], f[0:63:3], f[::-1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 21)
        out[k] = f[2 * k];
    foreach (k = 0 ... 21)
        out[21 + k] = f[3 * k];
    foreach (k = 0 ... n)
        out[42 + k] = f[63 - k];
}
