// claim: a function writes the caller's varying variable through a pointer, under the mask
// expect: np.where(L < 2, L + 100, L)
static noinline void raise(varying int * uniform p) {
    *p += 100;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex;
    if (programIndex < 2)
        raise(&v);
    out[programIndex] = v;
}
