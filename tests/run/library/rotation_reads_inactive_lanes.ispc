// claim: cross-lane movement ignores the mask
// expect: np.where(L > 2, (L + 1) % W, -1)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex, r = -1;
    if (programIndex > 2)
        r = rotate(v, 1);
    out[programIndex] = r;
}
