// claim: comparisons of short vectors give bool vectors, which select element by element
// expect: np.maximum(f, 0), np.maximum(i, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float<2> v = { f[k], i[k] }, zero = 0;
        bool<2> positive = v > zero;
        float<2> r = positive ? v : zero;
        out[k] = r.x;
        out[64 + k] = r.y;
    }
}
