// claim: calls inside divergent loops run with the lanes still in the loop
// expect: [bin(k).count("1") for k in range(n)]
static noinline int low_bit(int v) {
    if (v & 1)
        return 1;
    return 0;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = k, count = 0;
        while (v > 0) {
            count += low_bit(v);
            v >>= 1;
        }
        out[k] = count;
    }
}
