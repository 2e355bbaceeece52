// claim: inner loops of different length in each lane move elements of varying arrays
// where:
//   def one(k): return sorted(int(i[(k * 3 + j * 5) & 63]) for j in range(6))
// expect: [one(k)[0] for k in range(n)], [one(k)[2] for k in range(n)], [one(k)[5] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int a[6];
        for (uniform int j = 0; j < 6; j++) {
            int v = i[(k * 3 + j * 5) & 63];
            int p = j;
            while (p > 0 && a[p - 1] > v) {
                a[p] = a[p - 1];
                p--;
            }
            a[p] = v;
        }
        out[k] = a[0];
        out[64 + k] = a[2];
        out[128 + k] = a[5];
    }
}
