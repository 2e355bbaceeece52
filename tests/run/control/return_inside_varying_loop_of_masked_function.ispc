// claim: lanes that were inactive at the call are untouched by loops and returns of the callee
// where:
//   def one(k):
//       if k % 3 == 0: return -5
//       for j in range(100):
//           if j * j > k: return j
//       return 0
// expect: [one(k) for k in range(n)]
static noinline int root(int v) {
    int j = 0;
    while (true) {
        if (j * j > v)
            return j;
        j++;
    }
    return 0;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = -5;
        if (k % 3 != 0)
            r = root(k);
        out[k] = r;
    }
}
