// claim: pointers convert to void pointers and back by casts; the bytes of a float are its bits
// expect: f.view(np.uint32), [4]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        void * varying v = &f[k];
        uniform uint * varying bits = (uniform uint * varying)v;
        out[k] = *bits;
    }
    void * uniform a = &f[1];
    void * uniform b = &f[0];
    out[64] = (uniform int64)a - (uniform int64)b;
}
