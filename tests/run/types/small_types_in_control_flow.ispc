// claim: masks of 8, 16 and 64 bit comparisons control statements as those of 32 bits do
// where:
//   def one(k):
//       v = int(i[k])
//       r = 0
//       if (v & 0xff) > 100: r += 1
//       if v > 5: r += 2
//       if v * 5000000000 < -10: r += 4
//       return r
// expect: [one(k) for k in range(n)], np.where(f.astype(np.float64) > 1.5, f, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint8 a = i[k];
        int16 b = i[k];
        int64 c = i[k] * (int64)5000000000;
        double d = f[k];
        int r = 0;
        if (a > 100)
            r += 1;
        if (b > 5)
            r += 2;
        if (c < -10)
            r += 4;
        out[k] = r;
        double s = 0;
        if (d > 1.5)
            s = d;
        out[64 + k] = s;
    }
}
