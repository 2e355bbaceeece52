// claim: a function with an unmasked effect is not called with an empty mask
// expect: [1, 0]
static noinline void count(uniform double * uniform where) {
    *where += 1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    if (programIndex >= 0)
        count(&out[0]);
    if (programIndex > programCount)
        count(&out[1]);
}
