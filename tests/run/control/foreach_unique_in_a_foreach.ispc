// claim: foreach_unique in a foreach groups the lanes of each gang, and its mask is undone after it
// where:
//   groups = sum(len({int(v) & 3 for v in i[k:k + W]}) for k in range(0, n, W))
// expect: [10 * (int(v) & 3) + 1 for v in i], [groups]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int count = 0;
    foreach (k = 0 ... n) {
        int r = 0;
        foreach_unique (v in i[k] & 3) {
            r = 10 * v;
            count++;
        }
        r += 1;
        out[k] = r;
    }
    out[64] = count;
}
