// claim: a lane whose condition is false keeps its value
// expect: np.where(f > 2, f * 0 + 7, f)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float r = f[k];
        if (r > 2)
            r = 7;
        out[k] = r;
    }
}
