// claim: several foreach loops, also under uniform conditions, each cover their range
// expect: np.arange(30) * 2, np.arange(10) + 100, [0] * 24, [-1] * 20
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 30)
        out[k] = k;
    foreach (k = 0 ... 30)
        out[k] *= 2;
    if (n > 10) {
        foreach (k = 0 ... 10)
            out[30 + k] = 100 + k;
    } else {
        foreach (k = 0 ... 30)
            out[30 + k] = -5;
    }
    for (uniform int j = 0; j < 2; j++) {
        foreach (k = 10 * j ... 10 * j + 10)
            out[64 + k] -= 1;
    }
}
