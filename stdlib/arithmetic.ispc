// Elementary arithmetic: magnitudes, limits, rounding, roots and reciprocals.
#include "types.isph"

#define ABS(T) \
    T abs(T a) { return __abs(a); } \
    uniform T abs(uniform T a) { return __abs(a); }
SIGNED_INTEGERS(ABS)
FLOATS(ABS)

#define LIMITS(T) \
    T min(T a, T b) { return __min(a, b); } \
    uniform T min(uniform T a, uniform T b) { return __min(a, b); } \
    T max(T a, T b) { return __max(a, b); } \
    uniform T max(uniform T a, uniform T b) { return __max(a, b); } \
    T clamp(T v, T low, T high) { return __min(__max(v, low), high); } \
    uniform T clamp(uniform T v, uniform T low, uniform T high) { return __min(__max(v, low), high); }
NUMBERS(LIMITS)

#define ROUNDING(T) \
    T round(T v) { return __round(v); } \
    uniform T round(uniform T v) { return __round(v); } \
    T floor(T v) { return __floor(v); } \
    uniform T floor(uniform T v) { return __floor(v); } \
    T ceil(T v) { return __ceil(v); } \
    uniform T ceil(uniform T v) { return __ceil(v); } \
    T trunc(T v) { return __trunc(v); } \
    uniform T trunc(uniform T v) { return __trunc(v); }
FLOATS(ROUNDING)

// A division and a root are correctly rounded and right at zero and infinity, where Newton steps would make NaN.
#define ROOTS(T) \
    T sqrt(T v) { return __sqrt(v); } \
    uniform T sqrt(uniform T v) { return __sqrt(v); } \
    T rcp(T v) { return 1 / v; } \
    uniform T rcp(uniform T v) { return 1 / v; }
FLOATS(ROOTS)

// The root of the quotient halves what the quotient's rounding lost, so that the result is off by less than one in the last
// place. Powers of two keep the quotient in range.
#define INVERSE_ROOT_FLOAT(RATE) \
    RATE float rsqrt(RATE float v) { \
        RATE float quotient = (v < 1.0f ? (RATE float)5.96046448e-8f : (RATE float)16777216.0f) / v; \
        RATE float root = __sqrt(quotient) * (v < 1.0f ? (RATE float)4096.0f : (RATE float)0.000244140625f); \
        RATE float special = v == 0.0f ? quotient : (RATE float)__float_of_bits(0x7FC00000); \
        return v > 0.0f ? root : special; \
    }
INVERSE_ROOT_FLOAT(varying)
INVERSE_ROOT_FLOAT(uniform)
float16 rsqrt(float16 v) { return (float16)rsqrt((float)v); }
uniform float16 rsqrt(uniform float16 v) { return (uniform float16)rsqrt((uniform float)v); }
double rsqrt(double v) { return 1 / __sqrt(v); }
uniform double rsqrt(uniform double v) { return 1 / __sqrt(v); }

#define ESTIMATES(T) \
    T rcp_fast(T v) { return __rcp_fast(v); } \
    uniform T rcp_fast(uniform T v) { return __rcp_fast(v); } \
    T rsqrt_fast(T v) { return __rsqrt_fast(v); } \
    uniform T rsqrt_fast(uniform T v) { return __rsqrt_fast(v); }
ESTIMATES(float)
ESTIMATES(double)

#define CLASSES(T, INFINITY) \
    bool isnan(T v) { return v != v; } \
    uniform bool isnan(uniform T v) { return v != v; } \
    bool isinf(T v) { return __abs(v) == INFINITY; } \
    uniform bool isinf(uniform T v) { return __abs(v) == INFINITY; } \
    bool isfinite(T v) { return __abs(v) < INFINITY; } \
    uniform bool isfinite(uniform T v) { return __abs(v) < INFINITY; }
CLASSES(float16, __float_of_bits((uniform uint16)0x7C00))
CLASSES(float, __float_of_bits(0x7F800000))
CLASSES(double, __float_of_bits(0x7FF0000000000000))
