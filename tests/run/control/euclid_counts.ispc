// claim: a divergent iteration with early exit counts as each lane would alone
// where:
//   def count(a, b):
//       for j in range(6):
//           if b == 0: return j
//           a, b = b, a % b
//       return 6
// expect: [count(k % 16 * 34 + 21, k // 16 * 55 + 13) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (y = 0 ... 4, x = 0 ... 16) {
        int a = x * 34 + 21, b = y * 55 + 13;
        int j;
        for (j = 0; j < 6; j++) {
            if (b == 0)
                break;
            int rest = a % b;
            a = b;
            b = rest;
        }
        out[y * 16 + x] = j;
    }
}
