// claim: a reference parameter is the caller's object, stored under the mask
// expect: np.where(L & 1, -L, L * 2), [5]
static noinline void negate(int &v) {
    v = -v;
}
static void set(uniform int &v, uniform int w) {
    v = w;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex;
    if (programIndex & 1)
        negate(v);
    else
        v *= 2;
    out[programIndex] = v;
    uniform int u = 0;
    set(u, 5);
    out[programCount] = u;
}
