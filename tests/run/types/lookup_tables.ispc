// claim: constant tables are read by uniform and varying index
// expect: [(2, 3, 5, 7, 11, 13, 17, 19)[v & 7] for v in i.tolist()], [0.5 * (k % 4) + 0.25 for k in range(n)]
static const uniform int primes[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    const uniform float steps[4] = { 0.25, 0.75, 1.25, 1.75 };
    foreach (k = 0 ... n) {
        out[k] = primes[i[k] & 7];
        out[64 + k] = steps[k % 4];
    }
}
