// claim: the right operand of a shift is converted to the type of the left, which is the result's type
// expect: [144, -16, 2.0 ** 40, 3], [((k & 7) << 5) & 0xff for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform uint8 a = 0x99 + (uniform uint8)(n - 64);
    uniform int8 b = -128 + (uniform int8)(n - 64);
    uniform int64 c = 1;
    uniform uint8 two = a << (uniform int64)4;
    out[0] = two;
    out[1] = b >> 3;
    out[2] = c << 40;
    out[3] = (uniform uint32)0xffffffff >> (uniform int8)30;
    foreach (k = 0 ... n) {
        uint8 v = k & 7;
        out[4 + k] = v << 5;
    }
}
