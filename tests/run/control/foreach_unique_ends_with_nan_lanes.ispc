// claim: lanes that hold NaN form groups of their own, so that foreach_unique ends
// expect: [W // 2 + 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    float zero = f[0] - f[0];
    float v = (programIndex & 1) ? zero / zero : 1.0;
    uniform int count = 0;
    foreach_unique (x in v)
        count++;
    out[0] = count;
}
