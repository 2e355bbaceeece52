// claim: pointer differences count elements, also for varying pointers
// expect: np.arange(n) * 2 % 64 - 10, (np.arange(n) * 2 % 64 > 10) * 1
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform base = f + 10;
    foreach (k = 0 ... n) {
        uniform float * varying p = f + k * 2 % 64;
        out[k] = p - base;
        out[64 + k] = p > base ? 1 : 0;
    }
}
