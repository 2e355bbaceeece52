// claim: return in a switch in a loop leaves the function, break only the switch
// where:
//   def one(v):
//       r = 0
//       for j in range(6):
//           c = (v + j) & 3
//           if c == 0: r += 1
//           elif c == 1:
//               r += 10
//               if r > 20: return -r
//           else: r += 2
//       return r
// expect: [one(k) for k in range(n)]
static int walk(int v) {
    int r = 0;
    for (int j = 0; j < 6; j++) {
        switch ((v + j) & 3) {
        case 0:
            r += 1;
            break;
        case 1:
            r += 10;
            if (r > 20)
                return -r;
            break;
        default:
            r += 2;
        }
    }
    return r;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = walk(k);
}
