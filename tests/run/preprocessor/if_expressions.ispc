// claim: #if computes C expressions, undefined names are 0
// expect: [1, 2, 3, 4, 5]
#define A 7
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
#if A * 2 > 13 && !defined(B)
    out[0] = 1;
#endif
#if UNKNOWN == 0 || A / 0
    out[1] = 2;
#endif
#if (A ^ 5) == 2 && (A >> 1) == 3 && -A < 0 && ~A == -8
    out[2] = 3;
#endif
#if A % 4 == 3 ? 1 : 0
    out[3] = 4;
#endif
#if defined A && 0x10 == 020 && 'A' == 65
    out[4] = 5;
#else
    out[4] = 5;
#endif
}
