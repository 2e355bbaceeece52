// claim: a divergent iteration with early exit counts as each lane would alone
// where:
//   def count(x, y):
//       re, im = x, y
//       for j in range(50):
//           if re * re + im * im > 4: return j
//           re, im = x + (re * re - im * im), y + 2 * re * im
//       return 50
// expect: [count((k % 16) * 0.25 - 2.5, (k // 16) * 0.5 - 0.75) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (y = 0 ... 4, x = 0 ... 16) {
        double cx = x * 0.25 - 2.5, cy = y * 0.5 - 0.75;
        double re = cx, im = cy;
        int j;
        for (j = 0; j < 50; j++) {
            if (re * re + im * im > 4)
                break;
            double next = cx + (re * re - im * im);
            im = cy + 2 * re * im;
            re = next;
        }
        out[y * 16 + x] = j;
    }
}
