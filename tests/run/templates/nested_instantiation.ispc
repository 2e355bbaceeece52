// claim: templates call templates with their own parameters, also by reference and pointer
// expect: 3 * f, [15]
template <typename T> static void scale(T &v, uniform int by) {
    v *= by;
}
template <typename T, int N> static T apply(T v) {
    scale<T>(v, N);
    return v;
}
template <typename T> static uniform T total(uniform T p[], uniform int count) {
    uniform T s = 0;
    for (uniform int k = 0; k < count; k++)
        s += p[k];
    return s;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = apply<float, 3>(f[k]);
    uniform int v[5] = { 1, 2, 3, 4, 5 };
    out[64] = total<int>(v, 5);
}
