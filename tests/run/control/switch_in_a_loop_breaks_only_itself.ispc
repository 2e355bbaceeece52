// claim: break in a switch leaves the switch; the loop around it goes on
// where:
//   def one(v):
//       r = 0
//       for j in range(6):
//           c = (v + j) % 4
//           if c == 0: r += 1
//           elif c == 1: r += 10; r += 100
//           elif c == 2: r += 100
//           r += 10000
//       return r
// expect: [one(k) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        for (uniform int j = 0; j < 6; j++) {
            switch ((k + j) % 4) {
            case 0:
                r += 1;
                break;
            case 1:
                r += 10;
            case 2:
                r += 100;
                break;
            }
            r += 10000;
        }
        out[k] = r;
    }
}
