// claim: a return in a uniform loop under a varying if returns only for the lanes of that if
// where:
//   def one(v):
//       if v > 0:
//           for u in range(5):
//               if u == 3: return 100 + v
//               v += 1
//       return v - 1
// expect: [one(int(v)) for v in i]
static int walk(int v) {
    if (v > 0) {
        for (uniform int u = 0; u < 5; u++) {
            if (u == 3)
                return 100 + v;
            v += 1;
        }
    }
    return v - 1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = walk(i[k]);
}
