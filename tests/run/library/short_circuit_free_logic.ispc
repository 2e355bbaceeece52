// claim: and, or and select evaluate both operands
// expect: ((i > 0) & (f > 0)) * 1 + ((i > 0) | (f > 0)) * 2, np.where(f > 0, 3, i)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        bool a = i[k] > 0, b = f[k] > 0;
        out[k] = (and(a, b) ? 1 : 0) + (or(a, b) ? 2 : 0);
        out[64 + k] = select(b, 3, i[k]);
    }
}
