// claim: break, continue and return under uniform conditions are jumps also in functions with a mask
// where:
//   def one(k):
//       s = 0
//       for j in range(20):
//           if j == 4: continue
//           if j == 9: break
//           s += j
//       return s if k % 2 else 0
// expect: [one(k) for k in range(n)]
static noinline int work(uniform int limit) {
    int s = 0;
    for (uniform int j = 0; j < 20; j++) {
        if (j == 4)
            continue;
        if (j == limit)
            break;
        s += j;
    }
    if (limit > 100)
        return 0;
    return s;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        if (k % 2 == 1)
            r = work(9);
        out[k] = r;
    }
}
