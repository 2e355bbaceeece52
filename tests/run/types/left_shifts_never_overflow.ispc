// claim: a left shift loses what it shifts out; the sign is a bit like any other
// where:
//   def left(values, by, bits):
//       return ((((values.astype(object) << by) & (2**bits - 1)) ^ 2**(bits - 1)) - 2**(bits - 1)).astype(np.float64)
//   bit = i & 1
//   both = i.astype(object) * (2**33 + 5)
// expect: left(bit, 31, 32), left(i, 27, 32), left(i, i.astype(object) & 31, 32), left(i, 6, 8), left(i, 13, 16), left(both, 30, 64), left(bit, 63, 64) / 2**60, left(i, 30, 32) / 2**30, left(bit, 31, 32) // 2**31 * 3, [left(i[1:2], 27, 32)[0], left(i[1:2], 61, 64)[0], left(i[2:3], 6, 8)[0], left(i[2:3], 13, 16)[0], -2**31, -2**63, -128, 1, left(i[3:4], 29, 32)[0], left(i[4:5], 30, 32)[0], left(i[5:6], 31, 32)[0]]
struct Flags { int32 bits; int64 wide; int8 narrow; };
static const uniform int least = (int)1 << 31;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        unsigned int q = i[k];
        int b = q & 1;
        out[k] = b << 31;
        out[n + k] = i[k] << 27;
        int x = i[k];
        x <<= x & 31;
        out[2 * n + k] = x;
        int8 narrow = (int8)i[k];
        narrow <<= 6;
        out[3 * n + k] = narrow;
        out[4 * n + k] = (int16)((int16)i[k] << 13);
        int64 wide = i[k] * (((int64)1 << 33) + 5);
        out[5 * n + k] = wide << 30;
        out[6 * n + k] = ((int64)b << 63) >> 60;
        int<3> v = { i[k], b, 3 };
        v <<= 30;
        out[7 * n + k] = v.x >> 30;
        Flags flags = { b, 0, 0 };
        flags.bits <<= 31;
        out[8 * n + k] = (flags.bits >> 31) * 3;
    }
    uniform int at = 9 * n;
    out[at++] = i[1] << 27;
    out[at++] = (uniform int64)i[1] << 61;
    uniform int8 narrow = (uniform int8)i[2];
    narrow <<= 6;
    out[at++] = narrow;
    out[at++] = (uniform int16)((uniform int16)i[2] << 13);
    out[at++] = least;
    out[at++] = (uniform int64)1 << 63;
    out[at++] = (uniform int8)((uniform int8)1 << 7);
    out[at++] = (int)1 << 31 < 0;
    uniform int<3> v = { i[3], i[4], i[5] };
    uniform int<3> by = { 29, 30, 31 };
    v = v << by;
    for (uniform int k = 0; k < 3; ++k) out[at++] = v[k];
}
