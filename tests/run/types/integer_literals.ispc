// claim: integer literals in all bases, with size letters and suffixes
// expect: [15, 255, 10, 2048, 3 * 2**20, 3 * 2**30, 0xffffffff, 2.0**31, 2.0**40, 7]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = 017;
    out[1] = 0xFf;
    out[2] = 0b1010;
    out[3] = 2k;
    out[4] = 3M;
    out[5] = 3Gu;
    out[6] = 0xffffffff;
    out[7] = 2147483648;
    out[8] = 1099511627776;
    out[9] = 7ull + 0L;
}
