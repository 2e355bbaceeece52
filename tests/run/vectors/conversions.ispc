// claim: short vectors of one length convert element by element
// expect: np.trunc(f), np.trunc(f) / 2
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float<2> v = { f[k], f[k] };
        int<2> w = v;
        double<2> d = w;
        d /= 2;
        out[k] = w.x;
        out[64 + k] = d.y;
    }
}
