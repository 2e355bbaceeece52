// claim: a function with the parameters of a library function, const aside, replaces it, for all calls behind it
// expect: np.clip(i, 0, 5) * (i <= 5) + (i > 5) * 105, [7] * 64, np.where(f > 0, f + 1, 1000), [3, 8, 4]
static noinline float before(float v) { return rcp(v); }
static inline int clamp(int v, const int lo, const int hi) { return v < lo ? lo : v > hi ? hi + 100 : v; }
static inline float rcp(const float v) { return 7; }
static inline uniform int max(const uniform int a, uniform int b) { return 3; }
static inline float floor(const float v);
static inline uniform int popcnt(const uniform int v) { return 8; }
static inline float floor(const float v) { return v > 0 ? v + 1 : 1000; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        const int zero = 0;
        const int c = i[k];
        out[k] = clamp(c, zero, 5);
        out[64 + k] = rcp(f[k]);
        const float x = f[k];
        out[128 + k] = floor(x);
    }
    const uniform int c = 5;
    out[192] = max(n, c);
    out[193] = popcnt(n);
    out[194] = reduce_max(before(0.25f));
}
