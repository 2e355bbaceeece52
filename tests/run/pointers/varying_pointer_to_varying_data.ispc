// claim: through a varying pointer to varying data lane l accesses element l of the row it points to
// expect: [100 * (l & 3) + l for l in range(W)], [100 * 2 + l if l % 2 else -1 for l in range(W)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    varying int rows[4];
    for (uniform int j = 0; j < 4; j++)
        rows[j] = 100 * j + programIndex;
    varying int * varying q = &rows[programIndex & 3];
    out[programIndex] = *q;
    varying int * varying r = rows + 2;
    if (programIndex % 2 == 0)
        *r = -1;
    out[programCount + programIndex] = rows[2];
}
