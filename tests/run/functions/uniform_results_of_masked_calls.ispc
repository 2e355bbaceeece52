// claim: a function with uniform parameters and result called under a varying if runs once
// expect: [5, 1]
static uniform int calls;
static noinline uniform int add(uniform int a, uniform int b) {
    calls++;
    return a + b;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    calls = 0;
    uniform int r = 0;
    if (programIndex == 0)
        r = add(2, 3);
    out[0] = r;
    out[1] = calls;
}
