// claim: stores to a varying global at the top of a function called under a partial mask are masked
// expect: np.where(L < 2, 7, 1)
static int state = 1;
static noinline void set() {
    state = 7;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    state = 1;
    if (programIndex < 2)
        set();
    out[programIndex] = state;
}
