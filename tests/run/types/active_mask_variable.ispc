// claim: __mask has all bits set in active lanes
// expect: np.where(L % 3 == 1, 1, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int r = 0;
    if (programIndex % 3 == 1)
        r = __mask != 0 ? 1 : 0;
    out[programIndex] = r;
}
