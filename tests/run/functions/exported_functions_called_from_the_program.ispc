// claim: an exported function may be called like another, with the caller's mask
// expect: np.where(L < 2, L + 5, 0), L
export void store(uniform double out[], uniform int base) {
    out[programIndex] = programIndex + base;
}
static void masked(uniform double out[]) {
    if (programIndex < 2)
        store(out, 5);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    masked(out);
    out[programCount + programIndex] = programIndex;
}
