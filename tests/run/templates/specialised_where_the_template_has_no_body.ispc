// claim: a template that is only declared can be called for the arguments it is specialised for
// expect: [7, 9.5, 11]
template <typename T, typename C> uniform int part(uniform T a, uniform C b);
template <> uniform int part<int, float>(uniform int a, uniform float b);
template <typename T, int N> noinline uniform T times(uniform T a);
template <> noinline uniform double times<double, 3>(uniform double a) {
    return 3 * a + 0.5;
}
static uniform int both(uniform int a) {
    return part<int, float>(a, 2.75f);
}
template <> uniform int part<int, float>(uniform int a, uniform float b) {
    return a + (uniform int)b;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = both(5);
    out[1] = times<double, 3>(3.0d);
    out[2] = part<int, float>(9, 2.25f);
}
