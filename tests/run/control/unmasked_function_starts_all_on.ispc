// claim: the body of an unmasked function starts with all lanes on
// expect: np.ones(W), [2.0 ** W - 1, 1]
static noinline unmasked void mark(uniform double out[]) {
    out[programIndex] += 1;
    out[programCount] = lanemask();
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    if (programIndex == 0) {
        mark(out);
        out[programCount + 1] = lanemask();
    }
}
