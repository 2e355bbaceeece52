// claim: numbers convert to bool by comparison with zero, bools to 0 and 1
// expect: (f != 0) * 1, (i != 0) * 1 + (i > 0) * 2, [1, 0, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        bool b = f[k];
        bool c = i[k];
        int d = c, e = i[k] > 0;
        out[k] = b;
        out[64 + k] = d + 2 * e;
    }
    uniform bool t = 0.5, u = n - 64, v = 256;
    out[128] = t;
    out[129] = u;
    out[130] = v;
}
