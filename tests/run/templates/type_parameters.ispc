// claim: function templates are instantiated for deduced and explicit types
// expect: 2 * f, 2 * i, np.trunc(f) * 2, [8, 2.5]
template <typename T> noinline T twice(T v) {
    return v + v;
}
template <typename T> T larger(T a, T b) {
    return a > b ? a : b;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = twice(f[k]);
        out[64 + k] = twice(i[k]);
        out[128 + k] = twice<int>(f[k]);
    }
    out[192] = larger<uniform int>(3, 8);
    uniform float a = 2.5, b = -1;
    out[193] = larger<uniform float>(a, b);
}
