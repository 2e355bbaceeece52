// claim: coherent ifs, loops and switches nested in each other treat mixed and uniform gangs alike
// where:
//   def one(k):
//       v, r = int(i[k]), 0
//       for j in range(4):
//           if k < 32:
//               if v > j: r += 1
//           else:
//               t = 0
//               while t < (v & 3):
//                   if j == 2: break
//                   r += 10
//                   t += 1
//           c = (k >> 4) & 1
//           r += 100 if c else 1000
//       return r
// expect: [one(k) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k], r = 0;
        cfor (int j = 0; j < 4; j++) {
            cif (k < 32) {
                cif (v > j)
                    r += 1;
            } else {
                int t = 0;
                cwhile (t < (v & 3)) {
                    if (j == 2)
                        break;
                    r += 10;
                    t++;
                }
            }
            switch ((k >> 4) & 1) {
            case 1: r += 100; break;
            default: r += 1000;
            }
        }
        out[k] = r;
    }
}
