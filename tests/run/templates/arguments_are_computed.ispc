// claim: template arguments are constants, as written or computed; the first '>' outside of parentheses ends them
// expect: [6, 4, -5, -3, 1, 12, 1, 250, 6, 16, 120, 36, 1, 252, 4, 0, 2, 8, 7], i * 6
enum Flag { NONE, READ = 2, WRITE = 4, LAST = -3 };
static const uniform int FACTOR = 3;
template <int N> uniform int value() { return N; }
template <bool N> uniform int truth() { return N; }
template <uint8 N> uniform int byte() { return N; }
template <Flag N> uniform int flags() { return N; }
template <int64 N> uniform int64 large() { return N; }
template <int N> uniform int factorial() { return N * factorial<N - 1>(); }
template <> uniform int factorial<READ - 2>() { return 1; }
template <int N, typename T> uniform int sizes() {
    uniform int a[N * 2];
    return value<sizeof(uniform T) * N>() + sizeof(a);
}
template <typename T, int N> T scale(T v) { return v * N; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = value<READ | WRITE>();
    out[1] = value<FACTOR + 1>();
    out[2] = value<-5>();
    out[3] = value<LAST>();
    out[4] = value<(FACTOR > 2)>();
    out[5] = value<FACTOR << 2>();
    out[6] = truth<READ | WRITE>();
    out[7] = byte<200 + 50>();
    out[8] = flags<READ | WRITE>();
    out[9] = large<(int64)1 << 40>() >> 36;
    out[10] = factorial<5>();
    out[11] = sizes<FACTOR, float>();
    out[12] = value<FACTOR>() > 2;
    out[13] = value<~FACTOR & 0xff>();
    out[14] = value<16 >> 2>();
    out[15] = value<!true>();
    out[16] = value<(int)2.7>();
    out[17] = value<FACTOR < 2 ? 7 : 8>();
    out[18] = value<(FACTOR ? 7 : 8)>();
    foreach (k = 0 ... n)
        out[19 + k] = scale<int, READ + WRITE>(i[k]);
}
