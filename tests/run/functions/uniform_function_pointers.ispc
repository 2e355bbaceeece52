// claim: a call through a uniform function pointer runs with the current mask
// expect: np.where(i > 0, i * 2, i), [9, 6]
typedef int (*Function)(int);
static int twice(int v) { return 2 * v; }
static uniform int square(uniform int v) { return v * v; }
static uniform int negate(uniform int v) { return -v; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Function p = twice;
    foreach (k = 0 ... n) {
        int v = i[k];
        if (v > 0)
            v = p(v);
        out[k] = v;
    }
    uniform int (*uniform q)(uniform int) = &square;
    out[64] = q(3);
    q = negate;
    out[65] = q(-6);
}
