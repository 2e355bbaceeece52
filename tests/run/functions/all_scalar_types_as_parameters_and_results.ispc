// claim: values of every scalar type pass through a call unchanged
// expect: (i.astype(np.int8)), (i.astype(np.uint16)), i * 2.0 ** 35, (f.astype(np.float16)) + (f > 0)
static noinline int8 a(int8 v) { return v; }
static noinline uint16 b(uint16 v) { return v; }
static noinline int64 c(int64 v) { return v; }
static noinline float16 d(float16 v) { return v; }
static noinline bool e(bool v) { return v; }
static noinline double g(double v) { return v; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = a(i[k]);
        out[64 + k] = b(i[k]);
        out[128 + k] = c((int64)i[k] << 35);
        out[192 + k] = g((double)d(f[k])) + (e(f[k] > 0) ? 1 : 0);
    }
}
