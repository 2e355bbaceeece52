// claim: literals take the first of int32, uint32, int64, uint64 that holds them
// expect: [4, 4, 8, 8, 1, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sizeof(2147483647);
    out[1] = sizeof(4294967295);
    out[2] = sizeof(4294967296);
    out[3] = sizeof(9223372036854775808);
    out[4] = 2147483648 - 2147483649 > 0 ? 1 : 0;
    out[5] = 4294967296 - 4294967297 < 0 ? 1 : 0;
}
