// claim: return leaves every loop of the function for the returning lanes only
// where:
//   def find(v):
//       for a in range(8):
//           for b in range(8):
//               if a * b == v: return a * 10 + b
//       return -1
// expect: [find(k) for k in range(n)]
static int find(int v) {
    for (int a = 0; a < 8; a++) {
        for (uniform int b = 0; b < 8; b++) {
            if (a * b == v)
                return a * 10 + b;
        }
    }
    return -1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = find(k);
}
