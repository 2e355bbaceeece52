// claim: every element of a range is incremented exactly once
// expect: np.where((np.arange(70) >= 1) & (np.arange(70) < 68), np.arange(70) + 1, np.arange(70))
static noinline void increment(uniform double p[], uniform int first, uniform int last) {
    foreach (k = first ... last)
        p[k] += 1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 70)
        out[k] = k;
    increment(out, 1, 68);
}
