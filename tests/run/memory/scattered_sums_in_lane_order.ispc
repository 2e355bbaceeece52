// claim: a histogram built lane by lane counts every element
// expect: np.bincount((i & 7), minlength=8)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int bins[8];
    for (uniform int b = 0; b < 8; b++)
        bins[b] = 0;
    foreach (k = 0 ... n) {
        int b = i[k] & 7;
        foreach_active (lane)
            bins[b]++;
    }
    foreach (b = 0 ... 8)
        out[b] = bins[b];
}
