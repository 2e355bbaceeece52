// claim: an unmasked block runs with all lanes on, afterwards the mask is as before
// expect: L + 1, np.where(L < 2, L + 1, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex;
    if (programIndex < 2) {
        unmasked {
            v++;
            out[programIndex] = v;
        }
        out[programCount + programIndex] = v;
    }
}
