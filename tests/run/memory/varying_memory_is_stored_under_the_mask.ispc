// claim: a uniform pointer to varying data stores active lanes only
// expect: np.where(L & 1, 5, L)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    varying int v = programIndex;
    varying int * uniform p = &v;
    if (programIndex & 1)
        *p = 5;
    out[programIndex] = v;
}
