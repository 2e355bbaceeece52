// claim: functions change structs through references under the mask of their call
// expect: np.where(i > 0, i + 5, i), np.where(i > 0, 1, 0)
struct Counter { int total; int calls; };
static noinline void add(Counter &c, int by) {
    c.total += by;
    c.calls++;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Counter c = { i[k], 0 };
        if (i[k] > 0)
            add(c, 5);
        out[k] = c.total;
        out[64 + k] = c.calls;
    }
}
