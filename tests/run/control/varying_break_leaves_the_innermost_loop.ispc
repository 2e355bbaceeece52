// claim: a break under a varying condition removes its lanes from the innermost loop only
// where:
//   def one(v):
//       r = 0
//       for a in range(4):
//           for b in range(10):
//               if b == ((v + a) & 7): break
//               r += b
//           r += 100
//       return r
// expect: [one(int(v)) for v in i]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        for (uniform int a = 0; a < 4; a++) {
            for (int b = 0; b < 10; b++) {
                if (b == ((i[k] + a) & 7))
                    break;
                r += b;
            }
            r += 100;
        }
        out[k] = r;
    }
}
