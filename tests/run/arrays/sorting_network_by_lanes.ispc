// claim: each lane sorts its own array of varying elements
// where:
//   def one(k): return sorted((int(i[(k + j * 16) & 63]) for j in range(4)))
// expect: [one(k)[0] for k in range(n)], [one(k)[1] for k in range(n)], [one(k)[3] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int a[4];
        for (uniform int j = 0; j < 4; j++)
            a[j] = i[(k + j * 16) & 63];
        for (uniform int x = 0; x < 3; x++)
            for (uniform int y = 0; y < 3 - x; y++)
                if (a[y] > a[y + 1]) {
                    int t = a[y];
                    a[y] = a[y + 1];
                    a[y + 1] = t;
                }
        out[k] = a[0];
        out[64 + k] = a[1];
        out[128 + k] = a[3];
    }
}
