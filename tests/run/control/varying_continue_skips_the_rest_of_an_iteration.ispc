// claim: lanes that continue take part in the step and in the next iteration
// where:
//   def one(v):
//       r = 0
//       for j in range(v & 15):
//           if j % 3 == v % 3 or j == 5: continue
//           r += 10 * j + 1
//       return r
// expect: [one(k) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        for (int j = 0; j < (k & 15); j++) {
            if (j % 3 == k % 3)
                continue;
            if (j == 5)
                continue;
            r += 10 * j + 1;
        }
        out[k] = r;
    }
}
