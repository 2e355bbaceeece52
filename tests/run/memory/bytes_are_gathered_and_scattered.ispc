// claim: 8 and 16 bit elements are gathered and scattered without disturbing neighbours
// where:
//   a = [(k * 7) & 0xff for k in range(64)]
//   b = [0] * 64
//   for k in range(64): b[(k * 3 + 1) % 64] = a[63 - k] * 257
// expect: a[::-1], b
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform uint8 a[64];
    uniform uint16 b[64];
    foreach (k = 0 ... 64)
        a[k] = k * 7;
    foreach (k = 0 ... 64)
        b[(k * 3 + 1) % 64] = (uint16)a[63 - k] * (uint16)257;
    foreach (k = 0 ... 64) {
        out[k] = a[63 - k];
        out[64 + k] = b[k];
    }
}
