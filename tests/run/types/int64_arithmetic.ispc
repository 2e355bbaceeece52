// claim: 64-bit integers multiply, divide and compare in 64 bits
// where:
//   v = [int(x) * 3000000019 for x in i]
//   quotient = [abs(x) // 1000003 * (1 if x >= 0 else -1) for x in v]
//   remainder = [abs(x) % 1000003 * (1 if x >= 0 else -1) for x in v]
// expect: v, quotient, remainder, [int(x > 2 ** 33) for x in v]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int64 v = i[k] * (int64)3000000019;
        out[k] = v;
        out[64 + k] = v / 1000003;
        out[128 + k] = v % 1000003;
        out[192 + k] = v > 8589934592 ? 1 : 0;
    }
}
