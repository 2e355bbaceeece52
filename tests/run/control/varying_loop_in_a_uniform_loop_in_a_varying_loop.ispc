// claim: nested loops of both rates keep their masks apart
// where:
//   def one(k):
//       r = 0
//       a = 0
//       while a < k % 4:
//           for u in range(3):
//               if u == k % 3: continue
//               b = 0
//               while b < a + u:
//                   r += 1
//                   if r > 12: break
//                   b += 1
//           a += 1
//       return r
// expect: [one(k) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        int a = 0;
        while (a < k % 4) {
            for (uniform int u = 0; u < 3; u++) {
                if (u == k % 3)
                    continue;
                for (int b = 0; b < a + u; b++) {
                    r++;
                    if (r > 12)
                        break;
                }
            }
            a++;
        }
        out[k] = r;
    }
}
