// claim: break and continue under divergent masks in one while loop
// where:
//   def one(v):
//       r, j = 0, 0
//       while j < 20:
//           j += 1
//           if j & 1: continue
//           if j > v: break
//           r += j
//       return r, j
// expect: [one(k % 23)[0] for k in range(n)], [one(k % 23)[1] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0, j = 0;
        while (j < 20) {
            j += 1;
            if (j & 1)
                continue;
            if (j > k % 23)
                break;
            r += j;
        }
        out[k] = r;
        out[64 + k] = j;
    }
}
