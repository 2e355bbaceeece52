// claim: the type of a value parameter is written as that of any declaration: with words for its sign, qualifiers, names
// expect: [4294967295, 4294967295, 2**63, -1, 200, 65535, -5, 2**40, 7, 4, 1, 9, 3, 12, 4294967290, -9, 17], i * 3
typedef unsigned int64 Large;
enum Flag { NONE, READ = 2, WRITE = 4 };
template <unsigned int N> uniform double plain() { return N; }
template <uint N> uniform double short_name() { return N; }
template <unsigned int64 N> uniform double wide() { return N; }
template <signed int8 N> uniform double narrow() { return N; }
template <unsigned int8 N> uniform double byte() { return N; }
template <const uniform unsigned int16 N> uniform double qualified() { return N; }
template <signed int N> uniform double negative() { return N; }
template <uniform Large N> uniform double named() { return N; }
template <const Flag N> uniform double flag() { return N; }
template <const bool N> uniform double truth() { return N; }
template <unsigned int N, typename T> uniform double size(uniform T a[N]) { return N * N; }
template <typename T, unsigned int64 N> T scale(T v) { return v * N; }
template <enum Flag N, unsigned int M> uniform double both() { return N + M; }
template <unsigned N> uniform double bare() { return N; }
template <signed N> uniform double bare_signed() { return N; }
template <int unsigned N> uniform double behind() { return N; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float three[3] = {0, 0, 0};
    out[0] = plain<4294967295>();
    out[1] = short_name<4294967295>();
    out[2] = wide<(uint64)1 << 63>();
    out[3] = narrow<-1>();
    out[4] = byte<200>();
    out[5] = qualified<65535>();
    out[6] = negative<-5>();
    out[7] = named<(int64)1 << 40>();
    out[8] = plain<7>();
    out[9] = flag<WRITE>();
    out[10] = truth<true>();
    out[11] = size<3, float>(three);
    out[12] = scale<uniform int, 3>(1);
    out[13] = both<READ, 10>();
    out[14] = bare<4294967290>();
    out[15] = bare_signed<-9>();
    out[16] = behind<17>();
    foreach (k = 0 ... n)
        out[17 + k] = scale<int, 3>(i[k]);
}
