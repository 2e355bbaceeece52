// claim: cif has the meaning of if, for gangs that are all on, all off and mixed
// expect: np.where(np.arange(n) < 32, 1, np.where(i > 0, 3, 4)), np.where(np.arange(n) < 32, f, -f)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        float g = f[k];
        cif (k < 32) {
            r = 1;
        } else {
            cif (i[k] > 0)
                r = 3;
            else
                r = 4;
            g = -g;
        }
        out[k] = r;
        out[n + k] = g;
    }
}
