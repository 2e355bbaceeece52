// claim: ++ and -- work before and after, on integers and floats, masked for varying variables
// expect: np.where(i > 0, i + 1, i - 1), np.where(i > 0, i * 1.0, i - 1.0), f + 1, [6, 5, 7.5]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k];
        float r = 0, g = f[k];
        if (i[k] > 0)
            r = v++;
        else
            r = --v;
        g++;
        out[k] = v;
        out[64 + k] = r;
        out[128 + k] = g;
    }
    uniform int u = 5;
    uniform int old = u++;
    out[192] = u;
    out[193] = old;
    uniform double d = 8.5;
    out[194] = --d;
}
