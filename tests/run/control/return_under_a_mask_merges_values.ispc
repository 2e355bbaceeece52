// claim: a varying return records the value for its lanes only
// expect: np.where(i < -10, -1, np.where(i < 0, 0, np.where(i > 20, 2, 1)))
static int grade(int v) {
    if (v < 0) {
        if (v < -10)
            return -1;
        return 0;
    }
    int r = 1;
    if (v > 20)
        r = 2;
    return r;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = grade(i[k]);
}
