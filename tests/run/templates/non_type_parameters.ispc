// claim: integer template parameters are constants: array sizes, bounds and labels
// expect: [sum(range(5)), sum(range(3))], i * 4
template <typename T, int N> T scale(T v) {
    return v * N;
}
template <int N> uniform int triangle() {
    uniform int a[N];
    for (uniform int k = 0; k < N; k++)
        a[k] = k;
    uniform int s = 0;
    for (uniform int k = 0; k < N; k++)
        s += a[k];
    return s;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = triangle<5>();
    out[1] = triangle<3>();
    foreach (k = 0 ... n)
        out[2 + k] = scale<int, 4>(i[k]);
}
