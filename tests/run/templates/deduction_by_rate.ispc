// claim: T is deduced with the rate of the argument, once varying a later uniform argument is converted
// expect: [W * 4, 4, 4 * W], i + 1
template <typename T> uniform int size(T v) {
    return sizeof(T);
}
template <typename T> T add(T a, T b) {
    return a + b;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    float v = 1;
    uniform float u = 1;
    out[0] = size(v);
    out[1] = size(u);
    out[2] = size<int>(3);
    foreach (k = 0 ... n)
        out[3 + k] = add(i[k], 1.5);
}
