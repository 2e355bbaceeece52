// --math-lib=fast: float functions for everyday arguments, good to 4 units of the last place there.
//
// What is left out against the default library: arguments that are subnormal, and where said more; reduction for large
// angles; terms and compensations for the last two bits. The algorithms are the same, so are the names of their parts.
#include "../attributes.isph"

// Results that are not normal are 0 or infinity.
template <typename F> static inline F exp_fast(F x) {
    F bounded = __max((F)-88.0f, __min((F)89.0f, x));
    F shifted = __mad(bounded, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F r = __mad(n, -1.42860677e-6f, __mad(n, -0.693145752f, bounded));
    F z = r * r;
    F p = __mad(z, __mad(r, 0.00831246749f, 0.0418902561f), __mad(r, 0.166671157f, 0.499992311f));
    return __scale_sum_normal((F)1.0f, __mad(z, p, r), shifted);
}

template <typename F> static inline F exp2_fast(F x) {
    F bounded = __max((F)-127.0f, __min((F)128.0f, x));
    F shifted = bounded + 12582912.0f;
    return __scale_sum_normal((F)1.0f, exp2_polynomial_float<F>(bounded - (shifted - 12582912.0f)), shifted);
}

float exp(float x) { return exp_fast<float>(x); }
uniform float exp(uniform float x) { return exp_fast<uniform float>(x); }
float exp2(float x) { return exp2_fast<float>(x); }
uniform float exp2(uniform float x) { return exp2_fast<uniform float>(x); }

// Normal numbers above zero.
template <typename F> static inline F log_fast(F x) {
    F f = __significand_normal(x) - 1.0f;
    F z = f * f;
    F low = __mad(z, __mad(f, 0.19977209f, -0.249934897f), __mad(f, 0.333335459f, -0.500000596f));
    F high = __mad(z, __mad(f, 0.0541455224f, -0.120668642f), __mad(f, 0.149822861f, -0.168223545f));
    return __mad(__exponent_normal(x), 0.693147182f, __mad(z, __mad(z * z, high, low), f));
}

template <typename F> static inline F log2_fast(F x) {
    F f = __significand_normal(x) - 1.0f;
    F z = f * f;
    F y = z * z;
    F low = __mad(z, __mad(f, -0.360584f, 0.48090297f), __mad(f, -0.72134835f, 0.44269502f));
    F high = __mad(z, __mad(f, -0.17488807f, 0.21627967f), __mad(f, -0.24258694f, 0.288179f));
    F p = __mad(y, __mad(y, 0.07885813f, high), low);
    // f itself apart from the rest, whose rounding counts less.
    return __mad(f, p, __exponent_normal(x) + f);
}

float log2(float x) { return log2_fast<float>(x); }
uniform float log2(uniform float x) { return log2_fast<uniform float>(x); }
float log(float x) { return log_fast<float>(x); }
uniform float log(uniform float x) { return log_fast<uniform float>(x); }

// x = n pi + r, where an odd n turns the sign of sin r: one polynomial does. For sizes up to 3,000: of the three parts of pi the
// upper two times n are exact.
template <typename F, typename U> static inline F sin_of_half_turns(F x, F shifted, F n) {
    F r = __mad(n, -3.178651e-8f, __mad(n, -0.0009676218f, __mad(n, -3.140625f, x)));
    F z = r * r;
    F p = __mad(z, __mad(z, __mad(z, 2.6048267e-06f, -0.000198093781f), 0.00833306648f), -0.166666597f);
    // A product, such that -0 stays.
    return __float_of_bits(__bits(r * __mad(z, p, 1.0f)) ^ (__bits(shifted) << 31));
}

template <typename F, typename U> static inline F sin_fast(F x) {
    F shifted = __mad(x, 0.318309886f, 12582912.0f);
    return sin_of_half_turns<F, U>(x, shifted, shifted - 12582912.0f);
}

// cos x = sin(x + pi/2)
template <typename F, typename U> static inline F cos_fast(F x) {
    F shifted = __mad(x, 0.318309886f, 0.5f) + 12582912.0f;
    return sin_of_half_turns<F, U>(x, shifted, (shifted - 12582912.0f) - 0.5f);
}

float sin(float x) { return sin_fast<float, uint32>(x); }
uniform float sin(uniform float x) { return sin_fast<uniform float, uniform uint32>(x); }
float cos(float x) { return cos_fast<float, uint32>(x); }
uniform float cos(uniform float x) { return cos_fast<uniform float, uniform uint32>(x); }

template <typename F> static inline F tan_fast(F x) {
    F shifted = __mad(x, 0.636619772f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F r = __mad(n, -7.54979013e-8f, __mad(n, -1.57079625f, x));
    F z = r * r;
    F p = __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, 0.00947746634f, 0.00295411143f), 0.0245411936f), 0.0533775277f),
        0.133392468f), 0.333331376f);
    F tangent = __mad(r * z, p, r);
    F inverse = -1.0f / tangent;
    return (__bits(shifted) & 1) != 0 ? inverse : tangent;
}

float tan(float x) { return tan_fast<float>(x); }
uniform float tan(uniform float x) { return tan_fast<uniform float>(x); }

// axis + atan(over / under) for a quotient from -1 to 1.
template <typename F> static inline F atan_from_axis_fast(F over, F under, F axis) {
    F t = over / under;
    F z = t * t;
    F u = z * z;
    F high = __mad(u, __mad(u, -0.0049104006f, __mad(z, 0.0250374731f, -0.0606127381f)), __mad(z, 0.0999567211f, -0.140504584f));
    return __mad(t * z, __mad(u, high, __mad(z, 0.199756235f, -0.333324641f)), axis + t);
}

// The angle between the point and the nearer axis, taken off pi/2 where that is the other one.
template <typename F> static inline F atan_fast(F x) {
    F size = abs(x);
    F over = size > 1.0f ? (F)-1.0f : size, axis = size > 1.0f ? (F)1.57079637f : (F)0.0f;
    return with_sign_float<F>(atan_from_axis_fast<F>(over, __max((F)1.0f, size), axis), x);
}

float atan(float x) { return atan_fast<float>(x); }
uniform float atan(uniform float x) { return atan_fast<uniform float>(x); }

// Not both infinite. The axis is pi/2 less pi/2 with the sign of x, where x is the larger.
template <typename F, typename U> static inline F atan2_fast(F y, F x) {
    F n = abs(y), d = abs(x);
    F turned = n > d ? (F)-0.0f : (F)0.0f;
    F over = __float_of_bits(__bits(__min(d, n)) ^ __bits(turned) ^ __bits(x) & 0x80000000);
    F axis = 1.57079637f - (n > d ? (F)0.0f : with_sign_float<F>((F)1.57079637f, x));
    return with_sign_float<F>(atan_from_axis_fast<F>(over, __max((F)1.40129846e-45f, __max(n, d)), axis), y);
}

float atan2(float y, float x) { return atan2_fast<float, uint32>(y, x); }
uniform float atan2(uniform float y, uniform float x) { return atan2_fast<uniform float, uniform uint32>(y, x); }

// 4 z, of which the root is not halved.
template <typename F> static inline F asin_square_fast(F size) {
    F doubled = size + size;
    return __min(2.0f - doubled, doubled * doubled);
}

// start + asin s
template <typename F> static inline F asin_sum_fast(F start, F s, F z) {
    F p = __mad(z, __mad(z, __mad(z, 0.000195357064f, 0.000625107204f), 0.00471308827f), 0.041663907f);
    return __mad(s, z * p, start + s);
}

template <typename F> static inline F asin_fast(F x) {
    F size = abs(x);
    F z = asin_square_fast<F>(size);
    F start = size > 0.5f ? (F)1.57079637f : (F)0.0f;
    return with_sign_float<F>(asin_sum_fast<F>(start, size > 0.5f ? -sqrt(z) : size, z), x);
}

float asin(float x) { return asin_fast<float>(x); }
uniform float asin(uniform float x) { return asin_fast<uniform float>(x); }

template <typename F> static inline F acos_fast(F x) {
    F size = abs(x);
    F z = asin_square_fast<F>(size);
    F s = size > 0.5f ? with_sign_float<F>(sqrt(z), x) : -x;
    F start = 1.57079637f - (size > 0.5f ? with_sign_float<F>((F)1.57079637f, x) : (F)0.0f);
    return asin_sum_fast<F>(start, s, z);
}

float acos(float x) { return acos_fast<float>(x); }
uniform float acos(uniform float x) { return acos_fast<uniform float>(x); }

template <typename F, typename I> static inline F erf_fast(F x) {
    F size = __min((F)3.98f, abs(x));
    F shifted = __mad(size, 1.8721546f, 12582912.0f);
    F t = __mad(shifted - 12582912.0f, -0.534143925f, size);
    I piece = (I)__bits(shifted);
    F z = t * t;
    F middle = __mad(t, __lookup_eight(&erf_pieces[4][0], piece), __lookup_eight(&erf_pieces[3][0], piece));
    F high = __mad(t, __mad(t, __lookup_eight(&erf_pieces[7][0], piece), __lookup_eight(&erf_pieces[6][0], piece)), __lookup_eight(&erf_pieces[5][0], piece));
    F centre = __lookup_eight(&erf_pieces[0][0], piece);
    F start = shifted == 12582912.0f ? t : centre;
    F linear = __mad(t, __lookup_eight(&erf_pieces[1][0], piece), start);
    return with_sign_float<F>(__mad(z, __mad(t, __mad(z, high, middle), __lookup_eight(&erf_pieces[2][0], piece)), linear), x);
}

float erf(float x) { return erf_fast<float, int>(x); }
uniform float erf(uniform float x) { return erf_fast<uniform float, uniform int>(x); }

template <typename F> static inline F tanh_fast(F x) {
    F doubled = __min((F)20.0f, 2.0f * abs(x));
    F shifted = __mad(doubled, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F r = __mad(n, -1.42860677e-6f, __mad(n, -0.693145752f, doubled));
    F z = r * r;
    F p = __mad(z, __mad(z, 0.00138207339f, __mad(r, 0.00836867746f, 0.0416682661f)), __mad(r, 0.166665211f, 0.49999994f));
    F power = times_power_float<F>((F)1.0f, shifted);
    F m = __mad(__mad(z, p, r), power, power - 1.0f);
    return with_sign_float<F>(m / (m + 2.0f), x);
}

float tanh(float x) { return tanh_fast<float>(x); }
uniform float tanh(uniform float x) { return tanh_fast<uniform float>(x); }

// |x| = n ln 2 + r: 2^n and 2^-n in units of a half, as far as it matters, sinh r and cosh r doubled.
template <typename F> static inline void turns_of_ln2_fast(F size, F &up, F &down, F &odd, F &even) {
    F bounded = __min((F)89.7f, size);
    F shifted = __mad(bounded, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F near;
    F r = rest_of_ln2_float<F>(bounded, n, near);
    F z = near * near;
    F unit = unit_of_sum_float<F>();
    up = times_power_float<F>(unit, shifted);
    down = __float_of_bits(max(0, (int)(2 * __bits(unit)) - (int)__bits(up)));
    odd = __mad(r * z, __mad(z, 0.0167330913f, 0.33333087f), r + r);
    even = __mad(z, __mad(z, __mad(z, 0.0027870859f, 0.0833329186f), 1.0f), 2.0f);
}

// sinh x = (2^n + 2^-n) / 2 sinh r + (2^n - 2^-n) / 2 cosh r, cosh x with the signs the other way
template <typename F> static inline F sinh_fast(F x) {
    F up, down, odd, even;
    turns_of_ln2_fast<F>(abs(x), up, down, odd, even);
    return with_sign_float<F>(sum_in_units_float<F>(up - down, even, (up + down) * odd), x);
}

template <typename F> static inline F cosh_fast(F x) {
    F up, down, odd, even;
    turns_of_ln2_fast<F>(abs(x), up, down, odd, even);
    return sum_in_units_float<F>(up + down, even, (up - down) * odd);
}

float sinh(float x) { return sinh_fast<float>(x); }
uniform float sinh(uniform float x) { return sinh_fast<uniform float>(x); }
float cosh(float x) { return cosh_fast<float>(x); }
uniform float cosh(uniform float x) { return cosh_fast<uniform float>(x); }

// As by default, with what matters for results of everyday size: the logarithm good to 2^-28, normal a above zero.
template <typename F, typename I> static inline F pow_fast(F a, F b) {
    I bits = (I)__bits(a);
    I above = bits - 0x3F3C8000;
    I interval = above >> 19;
    F z = __float_of_bits(bits - (above & 0xFF800000));
    F f = __fma(__lookup((uniform float * uniform)pow_reciprocals, interval), z, -1.0f);
    F square = f * f;
    F p = __fma(square, __fma(f, 0.288898379f, -0.361147165f), __fma(f, 0.480898291f, -0.721347332f));
    F base = (F)(above >> 23) + __lookup((uniform float * uniform)pow_logarithms, interval);
    F log_high = __fma(f, 1.44269502f, base);
    F rest = __fma(square, p, __lookup((uniform float * uniform)pow_logarithm_rests, interval));
    F log_low = __fma(f, 1.44269502f, base - log_high) + rest;
    F exponent = b * log_high;
    F bounded = __max((F)-160.0f, __min((F)160.0f, exponent));
    F exponent_low = bounded == exponent ? __fma(b, log_low, __fma(b, log_high, -exponent)) : (F)0.0f;
    F shifted = bounded + 12582912.0f;
    F r = (bounded - (shifted - 12582912.0f)) + exponent_low;
    F y = r * r;
    F e = __fma(y, __fma(r, 0.00132691395f, 0.00967130717f), __fma(r, 0.0555071197f, 0.240222469f));
    return __scale_sum((F)1.0f, __fma(r, 0.693147004f, y * e), shifted);
}

template <typename F, typename I, typename D> static inline F pow_fast_or_special(F a, F b) {
    F power = pow_fast<F, I>(a, b);
    if (__bits(a) - 0x00800000 >= 0x7F000000)
        power = pow_special_float<F, I>(a, b);
    return power;
}

BY_CONSTANT float pow(float a, float b) { return pow_fast_or_special<float, int, double>(a, b); }
BY_CONSTANT uniform float pow(uniform float a, uniform float b) { return pow_fast_or_special<uniform float, uniform int, uniform double>(a, b); }

// Up to 3.5 units in the last place.
#define PLAIN_POWERS(RATE) \
    static inline RATE float power_to_5(RATE float a) { RATE float square = a * a; return square * square * a; } \
    static inline RATE float power_to_6(RATE float a) { RATE float cube = a * a * a; return cube * cube; }
PLAIN_POWERS(varying)
PLAIN_POWERS(uniform)

// float16 functions stay the default library's, which are right for all arguments. ONE: of uniform exp, exp2 and pow.
#define ROUNDED(RATE, NAME, ...) \
    RATE float16 NAME(RATE float16 x) { return (RATE float16)__VA_ARGS__((RATE float)x); }
#define ROUNDED_OF_TWO(RATE, NAME, ...) \
    RATE float16 NAME(RATE float16 a, RATE float16 b) { return (RATE float16)__VA_ARGS__((RATE float)a, (RATE float)b); }
#define HALF(RATE, ONE) \
    ROUNDED(RATE, exp, exp##ONE##_float<RATE float>) \
    ROUNDED(RATE, exp2, exp2##ONE##_float<RATE float>) \
    ROUNDED(RATE, log, log_float<RATE float, RATE int>) \
    ROUNDED(RATE, log2, log2_float<RATE float, RATE int, RATE double>) \
    ROUNDED(RATE, sin, sin_float<RATE float, RATE int, RATE double, RATE int64, RATE uint64>) \
    ROUNDED(RATE, cos, cos_float<RATE float, RATE int, RATE double, RATE int64, RATE uint64>) \
    ROUNDED(RATE, tan, tan_float<RATE float, RATE int, RATE double, RATE int64, RATE uint64>) \
    ROUNDED(RATE, asin, asin_float<RATE float>) \
    ROUNDED(RATE, acos, acos_float<RATE float>) \
    ROUNDED(RATE, atan, atan_float<RATE float>) \
    ROUNDED(RATE, sinh, sinh_float<RATE float>) \
    ROUNDED(RATE, cosh, cosh_float<RATE float>) \
    ROUNDED(RATE, tanh, tanh_float<RATE float, RATE int, RATE double>) \
    ROUNDED(RATE, erf, erf_float<RATE float, RATE int>) \
    ROUNDED_OF_TWO(RATE, atan2, atan2_float<RATE float, RATE uint32>) \
    ROUNDED_OF_TWO(RATE, pow, pow##ONE##_float<RATE float, RATE int, RATE double>)
HALF(,)
HALF(uniform, _of_one)
