// claim: unary minus, plus and logical not
// expect: -f, -i, (i == 0) * 1, (f == 0) * 1
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = -f[k];
        out[64 + k] = -(+i[k]);
        out[128 + k] = !i[k] ? 1 : 0;
        out[192 + k] = !f[k] ? 1 : 0;
    }
}
