// claim: inline, noinline, static and plain functions compute the same
// expect: 4 * (i * i + 1)
static inline int a(int v) { return v * v + 1; }
noinline int b(int v) { return v * v + 1; }
static noinline int c(int v) { return v * v + 1; }
int d(int v) { return v * v + 1; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = a(i[k]) + b(i[k]) + c(i[k]) + d(i[k]);
}
