// claim: null pointers compare equal to NULL and convert to false
// expect: [1, 0, 1, 0], np.where(L < 2, 1, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int * uniform p = NULL;
    out[0] = p == NULL ? 1 : 0;
    if (p)
        out[1] = 1;
    p = i;
    if (p)
        out[2] = 1;
    if (!p)
        out[3] = 1;
    uniform int * varying q = NULL;
    if (programIndex < 2)
        q = i;
    out[4 + programIndex] = q != NULL ? 1 : 0;
}
