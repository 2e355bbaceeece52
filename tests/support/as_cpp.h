// What the language has and C++ has not, of one lane: a program for one element at a time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>

using std::abs;
using std::ceil;
using std::floor;
using std::max;
using std::min;
using std::sqrt;
using std::trunc;
typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint64_t uint64;
#define uniform
#define varying
#define export extern "C"
#define task static
#define cif if
#define cwhile while
#define cfor for
#define cdo do
#define sync
static int taskIndex, taskCount;

template <class A, class B> static inline typename std::common_type<A, B>::type min(A a, B b) { return a < b ? a : b; }
template <class A, class B> static inline typename std::common_type<A, B>::type max(A a, B b) { return a > b ? a : b; }
template <class T, class L, class H> static inline T clamp(T a, L low, H high) { return min(max(a, (T)low), (T)high); }
static inline float round(float x, int) { return nearbyintf(x); }
static inline int popcnt(int x) { return __builtin_popcount(x); }
static inline int popcnt(int64 x) { return __builtin_popcountll(x); }
static inline int count_leading_zeros(int x) { return x ? __builtin_clz(x) : 32; }

template <class T> static inline T clipped(__int128 exact) {
    __int128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return (T)std::min(std::max(exact, low), high);
}
template <class T> static inline T saturating_add(T a, T b) { return clipped<T>((__int128)a + b); }
template <class T> static inline T saturating_sub(T a, T b) { return clipped<T>((__int128)a - b); }
template <class T> static inline T saturating_mul(T a, T b) { return clipped<T>((__int128)a * b); }

template <class P, class V> static inline V atomic_add_global(P *p, V v) { V old = *p; *p += v; return old; }
template <class P, class V> static inline V atomic_or_global(P *p, V v) { V old = *p; *p |= v; return old; }
template <class P, class V> static inline V atomic_xor_global(P *p, V v) { V old = *p; *p ^= v; return old; }
template <class P, class V> static inline V atomic_max_global(P *p, V v) { V old = *p; *p = std::max<V>(old, v); return old; }

template <class T, int N> struct vec {
    union {
        T v[N];
        struct { T x, y, z, w; };
    };
    vec() {}
    vec(T s) { for (T &each : v) each = s; }
    vec(std::initializer_list<T> list) : vec(T(0)) { std::copy(list.begin(), list.end(), v); }
    T &operator[](int k) { return v[k]; }
    const T &operator[](int k) const { return v[k]; }
};
#define OF_VECTORS(op) \
    template <class T, int N> vec<T, N> operator op(const vec<T, N> &a, const vec<T, N> &b) { \
        vec<T, N> r; \
        for (int k = 0; k < N; k++) r.v[k] = a.v[k] op b.v[k]; \
        return r; \
    } \
    template <class T, int N> vec<T, N> operator op(const vec<T, N> &a, T b) { return a op vec<T, N>(b); } \
    template <class T, int N, class U> vec<T, N> &operator op##=(vec<T, N> &a, const U &b) { return a = a op (vec<T, N>)b; }
OF_VECTORS(+) OF_VECTORS(-) OF_VECTORS(*) OF_VECTORS(/) OF_VECTORS(&) OF_VECTORS(|) OF_VECTORS(^)
