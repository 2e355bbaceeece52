// claim: a lane that left a loop takes no part in its condition, step and body
// expect: L + 1, L
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int tests = 0, steps = 0;
    for (int j = 0; tests++, j < programIndex; j++, steps++)
        ;
    out[programIndex] = tests;
    out[programCount + programIndex] = steps;
}
