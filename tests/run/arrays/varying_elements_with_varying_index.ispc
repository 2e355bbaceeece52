// claim: a varying index into varying elements selects, in each lane, that lane's element
// expect: [100 * (l & 3) + l for l in range(W)], [100 * k + l if (l & 3) != k else -l for k in range(4) for l in range(W)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int a[4];
    for (uniform int k = 0; k < 4; k++)
        a[k] = 100 * k + programIndex;
    out[programIndex] = a[programIndex & 3];
    a[programIndex & 3] = -programIndex;
    for (uniform int k = 0; k < 4; k++)
        out[(k + 1) * programCount + programIndex] = a[k];
}
