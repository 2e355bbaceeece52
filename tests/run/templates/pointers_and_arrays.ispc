// claim: template parameters are deduced through pointers
// expect: [float(np.sum(f)), float(np.sum(i))]
template <typename T> uniform T sum(uniform T * uniform p, uniform int count) {
    T s = 0;
    foreach (k = 0 ... count)
        s += p[k];
    return reduce_add(s);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sum<float>(f, n);
    out[1] = sum<int>(i, n);
}
