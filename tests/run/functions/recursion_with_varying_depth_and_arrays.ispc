// claim: recursive calls keep their own locals, lane by lane
// where:
//   def digits(v): return v % 3 + 10 * digits(v // 3) if v else 0
// expect: [digits(k) for k in range(n)]
static int digits(int v) {
    if (v == 0)
        return 0;
    int parts[2];
    parts[v & 1] = v % 3;
    int rest = digits(v / 3);
    return parts[v & 1] + 10 * rest;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = digits(k);
}
