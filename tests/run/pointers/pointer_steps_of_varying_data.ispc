// claim: a pointer to varying floats advances by a whole row
// expect: [4 * W], L + 2000
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    varying int rows[3];
    for (uniform int j = 0; j < 3; j++)
        rows[j] = programIndex + 1000 * j;
    varying int * uniform p = rows;
    uniform int64 before = (uniform int64)p;
    p++;
    out[0] = (uniform int64)p - before;
    p += 1;
    out[1 + programIndex] = *p;
}
