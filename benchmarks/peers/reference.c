/* Errors of results in units of the last place (ULP), against glibc in a wider format.

   For float and float16 the reference is double: glibc's vector functions are wrong by at most 4 units of double, which
   is 2^-27 units of float. For double it is the 80-bit long double, whose functions err by less than 2 units: 2^-10 of
   double. The worst inputs found are checked again by mpmath.

   ULP: |result - exact| over the distance of the numbers of the format around exact. An infinite result counts as the
   power of two behind the largest number. A result that is NaN where the exact one is not, or the other way round, or
   an infinity for a finite one, is an error of 1e30. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define VECTOR __attribute__((const, simd("notinbranch")))
#define ONE_VECTOR(NAME) VECTOR double NAME(double);
#define TWO_VECTOR(NAME) VECTOR double NAME(double, double);
ONE_VECTOR(exp) ONE_VECTOR(exp2) ONE_VECTOR(expm1) ONE_VECTOR(log) ONE_VECTOR(log2) ONE_VECTOR(log1p)
ONE_VECTOR(sin) ONE_VECTOR(cos) ONE_VECTOR(tan) ONE_VECTOR(asin) ONE_VECTOR(acos) ONE_VECTOR(atan)
ONE_VECTOR(sinh) ONE_VECTOR(cosh) ONE_VECTOR(tanh) ONE_VECTOR(cbrt) ONE_VECTOR(erf) ONE_VECTOR(erfc)
TWO_VECTOR(atan2) TWO_VECTOR(pow)

#define WRONG 1e30

static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline long double rsqrtl(long double x) { return 1 / sqrtl(x); }
static inline double rcp(double x) { return 1 / x; }
static inline long double rcpl(long double x) { return 1 / x; }

/* The spacing of a format with BITS of fraction around x: largest power of two 2^HIGH, smallest normal one 2^LOW. */
static inline double error_in_units(double got, double exact, int bits, int low, int high) {
    double end = __builtin_ldexp(1, high);
    int both_nan = (got != got) & (exact != exact);
    int one_nan = (got != got) != (exact != exact);
    double r = fabs(exact) >= end ? copysign(end, exact) : exact;
    double g = fabs(got) >= end ? copysign(end, got) : got;
    union { double d; uint64_t u; } size = {.d = r};
    int64_t exponent = (int64_t)((size.u >> 52) & 0x7FF) - 1023;
    exponent = exponent < low ? low : (exponent >= high ? high - 1 : exponent);
    union { uint64_t u; double d; } per_unit = {.u = (uint64_t)(bits - exponent + 1023) << 52};
    double error = fabs(g - r) * per_unit.d;
    return both_nan ? 0 : (one_nan ? WRONG : error);
}

static inline double error_of_float(float got, double exact) { return error_in_units(got, exact, 23, -126, 128); }
static inline double error_of_half(_Float16 got, double exact) { return error_in_units(got, exact, 10, -14, 16); }

static inline double error_of_double(double got, long double exact) {
    if (got != got || exact != exact)
        return (got != got) == (exact != exact) ? 0 : WRONG;
    long double end = 0x1p1024L;
    long double r = fabsl(exact) >= end ? copysignl(end, exact) : exact, g = isinf(got) ? copysignl(end, got) : got;
    int exponent = -1022;
    if (r != 0)
        frexpl(r, &exponent), exponent -= 1;
    exponent = exponent < -1022 ? -1022 : (exponent > 1023 ? 1023 : exponent);
    return (double)ldexpl(fabsl(g - r), 52 - exponent);
}

/* double worst_TYPE_NAME(x, y, got, n, &where): the largest error and the index it is at. */
#define WORST(TYPE, T, R, NAME, CALL, ERROR) \
    double worst_##TYPE##_##NAME(const T *restrict x, const T *restrict y, const T *restrict got, long n, long *where) { \
        double worst = -1; \
        long at = 0; \
        for (long start = 0; start < n; start += 512) { \
            long end = start + 512 < n ? start + 512 : n; \
            double errors[512]; \
            for (long i = start; i < end; i++) { \
                R a = x[i], b = y[i]; \
                (void)b; \
                errors[i - start] = ERROR(got[i], CALL); \
            } \
            double here = 0; \
            for (long i = 0; i < end - start; i++) \
                here = errors[i] > here ? errors[i] : here; \
            if (here > worst) { \
                worst = here; \
                for (at = start; errors[at - start] != here; at++) \
                    ; \
            } \
        } \
        *where = at; \
        return worst; \
    }
#define TYPES(NAME, IN_DOUBLE, IN_LONG) \
    WORST(float, float, double, NAME, IN_DOUBLE, error_of_float) \
    WORST(float16, _Float16, double, NAME, IN_DOUBLE, error_of_half) \
    WORST(double, double, long double, NAME, IN_LONG, error_of_double)
#define ONE(NAME) TYPES(NAME, NAME(a), NAME##l(a))
#define TWO(NAME) TYPES(NAME, NAME(a, b), NAME##l(a, b))
ONE(sqrt) ONE(rsqrt) ONE(rcp) ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log1p) ONE(sin) ONE(cos) ONE(tan)
ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(cbrt) ONE(erf) ONE(erfc)
TWO(atan2) TWO(pow) TWO(fmod)
