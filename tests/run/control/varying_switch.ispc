// claim: each lane of a varying switch executes from its label to its break, as alone
// where:
//   def one(v):
//       r = 0
//       if v in (0, 1): r += 1
//       if v in (0, 1, 2): return r + 10
//       if v == 5: return -(r + 100)
//       return r + 1000
// expect: [one(k % 8) for k in range(n)]
static int run(int v) {
    int r = 0;
    switch (v) {
    case 0:
    case 1:
        r += 1;
    case 2:
        r += 10;
        break;
    case 5:
        r += 100;
        return -r;
    default:
        r += 1000;
    }
    return r;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = run(k % 8);
}
