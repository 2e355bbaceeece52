// claim: nested varying ifs split the gang into every combination of their conditions
// expect: np.where(i & 1, np.where(i & 2, 11, 12), np.where(i & 2, 21, 22)) + np.where((i & 3) == 3, 100, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k], r = 0;
        if (v & 1) {
            if (v & 2) {
                r = 11;
                r += 100;
            } else
                r = 12;
        } else {
            if (v & 2)
                r = 21;
            else
                r = 22;
        }
        out[k] = r;
    }
}
