// claim: a specialisation replaces the body for its arguments, ordinary functions come first
// expect: [1, 2, 3]
template <typename T> uniform int kind(T v) {
    return 1;
}
template <> uniform int kind<double>(double v) {
    return 2;
}
static uniform int kind(uniform int8 v) {
    return 3;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    float a = f[0];
    double b = f[0];
    uniform int8 c = 1;
    out[0] = kind(a);
    out[1] = kind(b);
    out[2] = kind(c);
}
