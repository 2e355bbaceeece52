// claim: binary operators go to the higher of the two types in the order of the language
// expect: [11, 0, 1, 0, 0, 6, 2.5, 1, 0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int zero = n - 64;
    uniform int8 a = 5 + zero;
    uniform uint8 b = 250 + zero;
    uniform int16 minus = -1 + zero;
    uniform uint32 one = 1 + zero;
    uniform int64 wide = -1 + zero;
    uniform uint64 five = 5 + zero;
    uniform double d = 2.5 + zero;
    out[0] = a - b;
    out[1] = minus + one;
    out[2] = wide < one ? 1 : 0;
    out[3] = (minus + zero) < one ? 1 : 0;
    out[4] = five * 0.5;
    out[5] = 7 / 2 * 2.0;
    out[6] = d * one;
    out[7] = wide < 0.5 ? 1 : 0;
    out[8] = (uniform int32)-1 < five ? 1 : 0;
}
