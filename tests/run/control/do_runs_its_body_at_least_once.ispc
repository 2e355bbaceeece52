// claim: a do loop runs its body before it tests, for every lane
// expect: np.where(i > 0, i, 1), [1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int left = i[k], r = 0;
        do {
            r++;
            left--;
        } while (left > 0);
        out[k] = r;
    }
    uniform int once = 0;
    do
        once++;
    while (once > 5);
    out[64] = once;
}
