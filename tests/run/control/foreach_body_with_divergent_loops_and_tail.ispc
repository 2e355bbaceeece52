// claim: inactive lanes of the last group of a foreach do not run its inner loops
// expect: [sum(range(k % 6)) for k in range(37)] + [0] * 27, [max(k % 6 for k in range(37 - 37 % W, 37)) if 37 % W else 0]
static uniform int passes;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 37) {
        int s = 0;
        passes = 0;
        for (int j = 0; j < k % 6; j++) {
            s += j;
            passes++;
        }
        out[k] = s;
    }
    out[64] = 37 % programCount != 0 ? passes : 0;
}
