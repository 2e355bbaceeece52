// claim: default takes the lanes that match no label, wherever it stands, and falls through
// where:
//   def one(v):
//       r = 0
//       state = {3: 0, 7: 2, 9: 3}.get(v, 1)
//       if state == 0: r += 1
//       if state <= 1: r += 10
//       if state <= 2: return r + 100
//       return r + 1000
// expect: [one(k % 11) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        switch (k % 11) {
        case 3:
            r += 1;
        default:
            r += 10;
        case 7:
            r += 100;
            break;
        case 9:
            r += 1000;
        }
        out[k] = r;
    }
}
