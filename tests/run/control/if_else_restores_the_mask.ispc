// claim: after a varying if/else all lanes that entered it are active again
// expect: np.where(i < 0, -i, 2 * i) + 1000
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k], r = 0;
        if (v < 0)
            r = -v;
        else
            r = 2 * v;
        r += 1000;
        out[k] = r;
    }
}
