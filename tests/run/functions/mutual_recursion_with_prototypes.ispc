// claim: functions declared first may call each other
// expect: np.arange(n) % 2 == 0
static bool odd(int v);
static bool even(int v) {
    if (v == 0)
        return true;
    return odd(v - 1);
}
static bool odd(int v) {
    if (v == 0)
        return false;
    return even(v - 1);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = even(k) ? 1 : 0;
}
