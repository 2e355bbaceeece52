// fmod, ldexp, frexp: exact operations on exponents and remainders.

// x 2^n, rounded once: what is beyond the range of one factor is multiplied in before, in steps that never round unless
// the result is zero or infinite anyway. BIAS, DIGITS: of the format.
#define LDEXP(RATE, T, I, BIAS, DIGITS, FIELD) \
    RATE T ldexp(RATE T x, RATE int n) { \
        RATE T most = __float_of_bits((RATE I)((RATE I)(2 * BIAS) << FIELD)); \
        RATE T least = __float_of_bits((RATE I)((RATE I)(1 + DIGITS) << FIELD)); \
        for (uniform int step = 0; step < 2; ++step) { \
            x = n > BIAS ? x * most : (n < 1 - BIAS ? x * least : x); \
            n = n > BIAS ? n - BIAS : (n < 1 - BIAS ? n + (BIAS - 1 - DIGITS) : n); \
        } \
        n = __min((RATE int)BIAS, __max((RATE int)(1 - BIAS), n)); \
        return x * __float_of_bits((RATE I)((RATE I)(n + BIAS) << FIELD)); \
    }
LDEXP(varying, float, uint32, 127, 24, 23)
LDEXP(uniform, float, uint32, 127, 24, 23)
LDEXP(varying, double, uint64, 1023, 53, 52)
LDEXP(uniform, double, uint64, 1023, 53, 52)
float16 ldexp(float16 x, int n) { return (float16)ldexp((float)x, n); }
uniform float16 ldexp(uniform float16 x, uniform int n) { return (uniform float16)ldexp((uniform float)x, n); }

// Works on the fields of the number alone: zero, infinity and the rest are not special.
#define FREXP(RATE, T, U, BIAS, FIELD, KEEP) \
    RATE T frexp(RATE T x, RATE int * uniform power) { \
        RATE U bits = __bits(x); \
        *power = (RATE int)(bits >> FIELD & (2 * BIAS + 1)) - (BIAS - 1); \
        return __float_of_bits((RATE U)((bits & (RATE U)(KEEP)) | (RATE U)((RATE U)(BIAS - 1) << FIELD))); \
    }
FREXP(varying, float16, uint16, 15, 10, 0x83FF)
FREXP(uniform, float16, uint16, 15, 10, 0x83FF)
FREXP(varying, float, uint32, 127, 23, 0x807FFFFF)
FREXP(uniform, float, uint32, 127, 23, 0x807FFFFF)
FREXP(varying, double, uint64, 1023, 52, 0x800FFFFFFFFFFFFF)
FREXP(uniform, double, uint64, 1023, 52, 0x800FFFFFFFFFFFFF)

// 2^k for -1022 <= k <= 1023
template <typename D, typename I, typename L> static inline D power_of_two(I k) { return __float_of_bits((L)(k + 1023) << 52); }

// The remainder of two doubles, exact. In each step a multiple q of m 2^k is taken off, with k such that q has at most 51
// bits (52 from the largest number to the smallest): then q is off by one at most, and what is left has no more digits
// than m. The product's rounding error comes from halves of 26 bits (Dekker 1971). Numbers near the end of the range are
// moved away from it. The result has the sign of x, also where it is zero or NaN.
template <typename D, typename I, typename L, typename U> static inline D fmod_double(D x, D y) {
    D r = abs(x), m = abs(y), down = 1.0d;
    D infinity = __float_of_bits(0x7FF0000000000000);
    D result = r;
    if (r == infinity || m == 0.0d || x != x || y != y)
        result = __float_of_bits(0x7FF8000000000000);
    else if (m < infinity) {
        while (r >= m) {
            if (r < 1.0e-240d && down == 1.0d) {
                r *= 1.2676506002282294e30d * 1.2676506002282294e30d;
                m *= 1.2676506002282294e30d * 1.2676506002282294e30d;
                down = 6.223015277861142e-61d;
            }
            // The exponent of a subnormal m, too.
            I below = m < 1.0e-290d ? (I)(__bits(m * 18014398509481984.0d) >> 52) - 54 : (I)(__bits(m) >> 52);
            I k = __min((I)2046, __max((I)0, (I)(__bits(r) >> 52) - below - 50));
            I half = k >> 1;
            D part = m * power_of_two<D, I, L>(half) * power_of_two<D, I, L>(k - half);
            D q = __trunc(r / part);
            // A sixteenth of everything, so that products near the end of the range are finite.
            D sixteenth = r > 1.0e300d ? (D)0.0625d : (D)1.0d;
            D portion = part * sixteenth;
            D product = q * portion;
            D left = (r * sixteenth - product) - product_error<D, U>(q, portion, product);
            r = (left < 0.0d ? left + portion : left) / sixteenth;
        }
        result = r * down;
    }
    return __copysign(result, x);
}

double fmod(double x, double y) { return fmod_double<double, int, int64, uint64>(x, y); }
uniform double fmod(uniform double x, uniform double y) {
    return fmod_double<uniform double, uniform int, uniform int64, uniform uint64>(x, y);
}
float fmod(float x, float y) { return (float)fmod((double)x, (double)y); }
uniform float fmod(uniform float x, uniform float y) { return (uniform float)fmod((uniform double)x, (uniform double)y); }
float16 fmod(float16 x, float16 y) { return (float16)fmod((double)x, (double)y); }
uniform float16 fmod(uniform float16 x, uniform float16 y) {
    return (uniform float16)fmod((uniform double)x, (uniform double)y);
}
