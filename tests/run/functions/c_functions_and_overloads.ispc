// claim: a C function and functions of the language share a name, and overload resolution chooses among them
// expect: i * 2 + 1, np.where(f > 0, f + 3, f * 2), np.maximum(i, 3) * 100, [7, 21, 6, 9]
extern "C" uniform int twice(uniform int v);
static inline int twice(int v) {
    int result = 0;
    foreach_unique (u in v)
        result = twice(u) + 1;
    return result;
}
extern "C" uniform int twice(const uniform int v) { return v * 2; }

static noinline float grow(float v) { return v * 2; }
static uniform int64 grow(uniform int64 v) { return v + 10; }
extern "C" uniform float grow(uniform float v) { return v + 3; }
struct S { int a; };
static uniform int grow(const uniform S &s) { return grow((uniform float)s.a) + 4; }
template <typename T> static inline T grow(T a, T b) { return a + b + (T)grow((uniform int64)1); }

extern "C" uniform int max(uniform int a, uniform int b) { return 9; }
static int max(int a, const int b) { return a > b ? a * 100 : b * 100; }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = twice(i[k]);
        float x = 0;
        if (f[k] > 0) {
            foreach_unique (u in f[k])
                x = grow(u);
        } else
            x = grow(0 + f[k]);
        out[64 + k] = x;
        out[128 + k] = max(i[k], (varying int)3);
    }
    uniform S s = { 0 };
    out[192] = grow(s);
    out[193] = grow((uniform int)4, (uniform int)6);
    out[194] = twice(3);
    out[195] = max(n, 3);
}
