// claim: a foreach under a varying condition starts with all lanes on, afterwards the outer mask is back
// widths: 4 8 16 32 64
// expect: np.arange(20) + 1, np.where(L == 1, 5, 0), [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    if (programIndex == 1) {
        foreach (k = 0 ... 20)
            out[k] += k + 1;
        out[20 + programIndex] = 5;
    }
    if (programIndex < 0) {
        foreach (k = 0 ... 20)
            out[k] += 1000;
    }
    out[20 + programCount] = 0;
}
