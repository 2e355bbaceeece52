// claim: a dangling else belongs to the nearest if
// expect: np.where(i > 0, np.where(i > 10, 1, 2), 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        if (i[k] > 0)
            if (i[k] > 10)
                r = 1;
            else
                r = 2;
        out[k] = r;
    }
}
