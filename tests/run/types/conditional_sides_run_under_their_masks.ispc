// claim: the operands of ?: with a varying test run under the mask of their lanes, and not at all without one
// widths: 4 8 16 32 64
// expect: np.where(L < 2, 10, 20), [2, W - 2, 0]
static noinline int mark(uniform double * uniform where, int v) {
    *where += popcnt(programIndex >= 0);
    return v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int r = programIndex < 2 ? mark(&out[programCount], 10) : mark(&out[programCount + 1], 20);
    out[programIndex] = r;
    r = programIndex >= 0 ? 1 : mark(&out[programCount + 2], 20);
}
