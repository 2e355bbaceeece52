// claim: varying new gives each active lane memory of its own
// expect: [sum(j * k for j in range(k % 4 + 1)) if k % 2 else -1 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = -1;
        if (k % 2 == 1) {
            uniform int * varying p = new uniform int[k % 4 + 1];
            for (int j = 0; j <= k % 4; j++)
                p[j] = j * k;
            r = 0;
            for (int j = 0; j <= k % 4; j++)
                r += p[j];
            delete[] p;
        }
        out[k] = r;
    }
}
