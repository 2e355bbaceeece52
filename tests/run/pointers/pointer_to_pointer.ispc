// claim: a pointer to a pointer reaches its target, and is gathered by lanes
// expect: [f[5], 9], np.where(L & 1, f[3], f[5])
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform rows[2] = { &f[5], &f[3] };
    uniform float * uniform * uniform p = &rows[0];
    out[0] = **p;
    uniform int v = 1;
    uniform int * uniform q = &v;
    uniform int * uniform * uniform r = &q;
    **r = 9;
    out[1] = v;
    out[2 + programIndex] = *rows[programIndex & 1];
}
