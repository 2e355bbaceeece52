// claim: a uniform variable in a varying loop changes once for each pass that some lane makes
// expect: [W - 1, (W - 1) * (W - 2) // 2]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int passes = 0, sum = 0;
    for (int j = 0; j < programIndex; j++) {
        sum += passes;
        passes++;
    }
    out[0] = passes;
    out[1] = sum;
}
