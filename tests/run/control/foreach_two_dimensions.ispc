// claim: the last dimension of a foreach is innermost and spread over the lanes, the others are uniform
// expect: [100 * j + k for j in range(5) for k in range(7)], [5 * -(-7 // W)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int groups = 0;
    foreach (j = 0 ... 5, k = 0 ... 7) {
        out[j * 7 + k] += 100 * j + k;
        groups++;
    }
    out[35] = groups;
}
