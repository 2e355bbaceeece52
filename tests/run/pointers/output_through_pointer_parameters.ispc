// claim: functions return several values through uniform pointers to varying data
// expect: np.trunc(i / 4), np.fmod(i, 4)
static void divide(int v, int by, varying int * uniform quotient, varying int * uniform remainder) {
    *quotient = v / by;
    *remainder = v % by;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int q, r;
        divide(i[k], 4, &q, &r);
        out[k] = q;
        out[64 + k] = r;
    }
}
