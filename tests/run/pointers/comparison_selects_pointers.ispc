// claim: pointers are selected by varying conditions and compared
// expect: np.where(i > 0, f, i), (i > 0) * 1
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uniform float copy[64];
        copy[k] = i[k];
        uniform float * varying p = i[k] > 0 ? &f[k] : &copy[k];
        out[k] = *p;
        out[64 + k] = p == &f[k] ? 1 : 0;
    }
}
