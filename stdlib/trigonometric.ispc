// sin, cos, sincos, tan.
//
// x = n pi/2 + r with |r| <= pi/4; n mod 4 says which of sin r, cos r, -sin r, -cos r is meant. r is kept as a sum of
// two numbers, r + low, as the rounding of r alone would cost half a unit in the last place.
#include "attributes.isph"

// 2/pi = 0.A2F9836E 4E441529 ... in base 2^32, enough for the largest double.
static const uniform unsigned int two_over_pi[40] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D
};

// 32 bits of a number in limbs of as many, the lowest first, from a bit of a limb on.
template <typename U, typename I> static inline U bits_of_limbs(U limb[], I at, U bit) {
    return ((limb[at] | (limb[at + 1] << 32)) >> bit) & 0xFFFFFFFF;
}

// Reduction of large arguments (Payne and Hanek 1983). x = m 2^e with a 53-bit integer m. Words of 2/pi whose product
// with m 2^e is a multiple of four are left out; the next seven give x * 2/pi mod 4 to more than 130 bits.
// Returns the quadrant; r + low is the rest. D, L, U, I: double, int64, uint64, int32 at one rate.
template <typename D, typename L, typename U, typename I>
static noinline I reduce_by_words(D x, D &r, D &low) {
    U bits = __bits(x);
    I e = (I)((bits >> 52) & 0x7FF) - 1075;
    U m = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000;
    U m_low = m & 0xFFFFFFFF, m_high = m >> 32;
    I first = e < 2 ? 0 : min((e - 2) >> 5, (I)33);
    // Product of the seven words and m, limbs of 32 bits, the lowest first.
    U limb[9];
    U carry = 0;
    for (uniform int k = 0; k < 7; ++k) {
        U t = m_low * (U)two_over_pi[first + 6 - k] + carry;
        limb[k] = t & 0xFFFFFFFF;
        carry = t >> 32;
    }
    limb[7] = carry;
    limb[8] = 0;
    carry = 0;
    for (uniform int k = 0; k < 7; ++k) {
        U t = m_high * (U)two_over_pi[first + 6 - k] + limb[k + 1] + carry;
        limb[k + 1] = t & 0xFFFFFFFF;
        carry = t >> 32;
    }
    limb[8] = carry;
    // Two bits of quadrant and 126 of fraction.
    I position = 98 - (e - 32 * first);
    I skip = position >> 5;
    U bit = (U)(position & 31);
    U upper = bits_of_limbs<U, I>(limb, skip + 3, bit) << 32 | bits_of_limbs<U, I>(limb, skip + 2, bit);
    U lower = bits_of_limbs<U, I>(limb, skip + 1, bit) << 32 | bits_of_limbs<U, I>(limb, skip, bit);
    L fraction = (L)(upper << 2 | lower >> 62);
    I quadrant = (I)(upper >> 62) + (fraction < 0 ? 1 : 0);
    // The fraction, in quarter turns, as a sum of two doubles.
    D large = (D)(fraction & ~(L)0x7FF), small = (D)(fraction & 0x7FF);
    D sum = large + small;
    D rest = (small - (sum - large)) * 5.421010862427522e-20d + (D)(L)((lower << 2) >> 1) * 5.877471754111438e-39d;
    sum *= 5.421010862427522e-20d;
    D turn = sum + rest;
    D turn_low = rest - (turn - sum);
    // Times pi/2: the product's rounding error from halves of 26 bits (Dekker 1971).
    D upper_half = __float_of_bits(__bits(turn) & ~(U)0x7FFFFFF);
    D lower_half = turn - upper_half;
    D product = turn * 1.5707963267948966d;
    D error = ((upper_half * 1.5707963258028030396d - product) + upper_half * 9.9209351844820048427e-10d +
        lower_half * 1.5707963258028030396d) + lower_half * 9.9209351844820048427e-10d;
    low = error + (turn * 6.123233995736766e-17d + turn_low * 1.5707963267948966d);
    r = product;
    if (x < 0) {
        r = -r;
        low = -low;
        quadrant = -quadrant;
    }
    return quadrant;
}

// Sizes up to 2^17: pi/2 in three parts (Cody and Waite 1980), and what is left as r - lower. The first difference is exact: what is
// left has no more digits than a float. Whichever of the two is the larger, so is the difference behind the second. The upper
// part of pi/2 is rounded down and all signs are chosen such that -0 stays -0.
template <typename F, typename I> static inline I reduce_signed_float(F x, F &r, F &lower) {
    F shifted = __fma(x, 0.636619772f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F near = __fma(n, -1.57079625f, x);
    r = near - n * 7.54979013e-08f;
    lower = __fma(n, -1.71512451e-15f, __fma(n, 7.54979013e-08f, r - near));
    return (I)__bits(shifted);
}

// sin r = r - r T(r^2) and cos r = 1 + r^2 T(r^2): by quadrant the terms of T, the highest power first, then a and b in
// (a r + b) + (b r - a) R, which is r - R, 1 + r R and these negated. -0 + -0 stays -0.
static const uniform float quadrant_terms[6][5] = {
    {0.000195185989f, 2.44306684e-05f, 0.000195185989f, 2.44306684e-05f, 0.000195185989f},
    {-0.00833219104f, -0.00138873013f, -0.00833219104f, -0.00138873013f, -0.00833219104f},
    {0.166666552f, 0.0416666456f, 0.166666552f, 0.0416666456f, 0.166666552f},
    {0.0f, -0.5f, 0.0f, -0.5f, 0.0f},
    {1.0f, 0.0f, -1.0f, 0.0f, 1.0f},
    {-0.0f, 1.0f, 0.0f, -1.0f, -0.0f}
};

// sin(r - lower + (quadrant + ahead) pi/2). With cos r factors r are multiplied one by one, as the rounding of the square would count.
template <typename F, typename I> static inline F sin_of_quarters_float(F r, F lower, I quadrant, uniform int ahead) {
    F z = r * r;
    F t = __mad(z, __lookup_four(&quadrant_terms[0][ahead], quadrant), __lookup_four(&quadrant_terms[1][ahead], quadrant));
    t = __mad(z, t, __lookup_four(&quadrant_terms[2][ahead], quadrant));
    t = __mad(z, t, __lookup_four(&quadrant_terms[3][ahead], quadrant));
    F a = __lookup_four(&quadrant_terms[4][ahead], quadrant), b = __lookup_four(&quadrant_terms[5][ahead], quadrant);
    return __mad(__mad(r, b, -a), __mad(r, t, lower), __mad(r, a, b));
}

// Infinity and NaN have no remainder.
template <typename F, typename I, typename D, typename L, typename U>
static noinline F sin_of_large_float(F x, uniform int ahead) {
    D exact, exact_low;
    I quadrant = reduce_by_words<D, L, U, I>((D)x, exact, exact_low);
    F r = (F)exact + (x - x);
    return sin_of_quarters_float<F, I>(r, (F)((D)r - exact), quadrant, ahead);
}

template <typename F, typename I, typename D, typename L, typename U> static inline F sin_float(F x) {
    F r, lower;
    I quadrant = reduce_signed_float<F, I>(x, r, lower);
    F value = sin_of_quarters_float<F, I>(r, lower, quadrant, 0);
    if (!(abs(x) <= 131072.0f))
        value = sin_of_large_float<F, I, D, L, U>(x, 0);
    return value;
}

template <typename F, typename I, typename D, typename L, typename U> static inline F cos_float(F x) {
    F r, lower;
    I quadrant = reduce_signed_float<F, I>(x, r, lower);
    F value = sin_of_quarters_float<F, I>(r, lower, quadrant, 1);
    if (!(abs(x) <= 131072.0f))
        value = sin_of_large_float<F, I, D, L, U>(x, 1);
    return value;
}

// x = n pi/2 + r - lower with n as the low bits of `quadrant`, for sizes up to 1,000,000: pi/2 in four parts of 33 bits. Signs are
// chosen such that -0 stays -0.
template <typename D, typename U> static inline U reduce_near_double(D x, D &r, D &lower) {
    D shifted = __mad(x, 0.6366197723675814d, 6755399441055744.0d);
    D n = shifted - 6755399441055744.0d;
    D near = x - n * 1.57079632673412561416626d;
    D step = n * 6.077100506303965976595549e-11d;
    D first = near - step;
    // What the subtraction lost (Knuth's two-sum), then the remaining parts.
    D back = first - near;
    D lost = (step + back) - (near - (first - back));
    D rest = lost + (n * 2.022266248711166455795996e-21d + n * 8.478427660368899569973654e-32d);
    r = first - rest;
    lower = rest - (first - r);
    return __bits(shifted);
}

template <typename D, typename L, typename U, typename I>
static inline U reduce_double(D x, D &r, D &lower) {
    U quadrant = reduce_near_double<D, U>(x, r, lower);
    if (abs(x) > 1000000.0d) {
        D exact, exact_low;
        quadrant = (U)(L)reduce_by_words<D, L, U, I>(x, exact, exact_low);
        r = exact + (x - x);
        lower = -exact_low;
    }
    return quadrant;
}

// r - sin(r - lower), and cos(r - lower) less its first terms 1 - r^2/2, rounded.
template <typename D> static inline D sin_rest_double(D r, D lower) {
    D z = r * r;
    D y = z * z;
    D p = __mad(y, __mad(y, __mad(z, 7.586685070091267160937e-13d, -1.605853141458901075743e-10d), __mad(z,
        2.50521062311579054867e-8d, -2.755731921933545342883e-6d)), __mad(z, 0.0001984126984126506017398d,
        -0.008333333333333331489876d));
    return __mad(r * z, __mad(z, p, 0.1666666666666666666551d), lower * __mad(z, -0.5d, 1.0d));
}

template <typename D> static inline D cos_rest_double(D r, D lower, D top) {
    D z = r * r;
    D y = z * z;
    D p = __mad(y, __mad(y, __mad(y, 4.745865203787455108001e-14d, __mad(z, -1.147046077396932462671e-11d,
        2.087675579036339612874e-9d)), __mad(z, -2.755731922140076001531e-7d, 2.480158730158464377479e-5d)), __mad(z,
        -0.00138888888888888878641d, 0.04166666666666666666602d));
    return __mad(z, -0.5d, 1.0d - top) + __mad(y, p, r * lower);
}

template <typename D> static inline D sin_quarter_double(D r, D lower) { return r - sin_rest_double<D>(r, lower); }

template <typename D> static inline D cos_quarter_double(D r, D lower) {
    D top = __mad(r * r, -0.5d, 1.0d);
    return top + cos_rest_double<D>(r, lower, top);
}

// The sine a number of quarter turns on, given that of the rest and its cosine.
template <typename D, typename L, typename U> static inline D sin_of_quarters_double(D sine, D cosine, U quadrant) {
    D value = (L)(quadrant << 63) < 0 ? cosine : sine;
    return __float_of_bits(__bits(value) ^ (quadrant & 2) << 62);
}

template <typename D, typename L, typename U, typename I> static inline D sin_double(D x) {
    D r, lower;
    U quadrant = reduce_double<D, L, U, I>(x, r, lower);
    return sin_of_quarters_double<D, L, U>(sin_quarter_double<D>(r, lower), cos_quarter_double<D>(r, lower), quadrant);
}

template <typename D, typename L, typename U, typename I> static inline D cos_double(D x) {
    D r, lower;
    U quadrant = reduce_double<D, L, U, I>(x, r, lower);
    return sin_of_quarters_double<D, L, U>(sin_quarter_double<D>(r, lower), cos_quarter_double<D>(r, lower), quadrant + 1);
}

// Beside each other.
template <typename F, typename I, typename D, typename L, typename U> static inline F paired_sin_float(F x) {
    return sin_float<F, I, D, L, U>(x);
}
template <typename F, typename I, typename D, typename L, typename U> static inline F paired_cos_float(F x) {
    return cos_float<F, I, D, L, U>(x);
}
static inline float paired_sin(float x) { return paired_sin_float<float, int, double, int64, uint64>(x); }
static inline float paired_cos(float x) { return paired_cos_float<float, int, double, int64, uint64>(x); }
template <typename D, typename L, typename U, typename I> static inline D paired_sin_double(D x) {
    return sin_double<D, L, U, I>(x);
}
template <typename D, typename L, typename U, typename I> static inline D paired_cos_double(D x) {
    return cos_double<D, L, U, I>(x);
}
static inline double paired_sin(double x) { return paired_sin_double<double, int64, uint64, int>(x); }
static inline double paired_cos(double x) { return paired_cos_double<double, int64, uint64, int>(x); }

SHARES_WORK float sin(float x) { return sin_float<float, int, double, int64, uint64>(x); }
uniform float sin(uniform float x) {
    return sin_float<uniform float, uniform int, uniform double, uniform int64, uniform uint64>(x);
}
SHARES_WORK double sin(double x) { return sin_double<double, int64, uint64, int>(x); }
uniform double sin(uniform double x) { return sin_double<uniform double, uniform int64, uniform uint64, uniform int>(x); }
float16 sin(float16 x) { return (float16)sin((float)x); }
uniform float16 sin(uniform float16 x) { return (uniform float16)sin((uniform float)x); }

SHARES_WORK float cos(float x) { return cos_float<float, int, double, int64, uint64>(x); }
uniform float cos(uniform float x) {
    return cos_float<uniform float, uniform int, uniform double, uniform int64, uniform uint64>(x);
}
SHARES_WORK double cos(double x) { return cos_double<double, int64, uint64, int>(x); }
uniform double cos(uniform double x) { return cos_double<uniform double, uniform int64, uniform uint64, uniform int>(x); }
float16 cos(float16 x) { return (float16)cos((float)x); }
uniform float16 cos(uniform float16 x) { return (uniform float16)cos((uniform float)x); }

// The quotient of sine and cosine, each kept in double length.
template <typename D, typename L, typename U, typename I> static inline D tan_double(D x) {
    D r, lower;
    U quadrant = reduce_double<D, L, U, I>(x, r, lower);
    D s_rest = sin_rest_double<D>(r, lower);
    D s = r - s_rest;
    D s_low = (r - s) - s_rest;
    D top = __mad(r * r, -0.5d, 1.0d);
    D c_rest = cos_rest_double<D>(r, lower, top);
    D c = top + c_rest;
    D c_low = (top - c) + c_rest;
    L odd = (L)(quadrant << 63);
    D over = odd < 0 ? -c : s, over_low = odd < 0 ? -c_low : s_low;
    D under = odd < 0 ? s : c, under_low = odd < 0 ? s_low : c_low;
    D inverse = 1.0d / under;
    D quotient = over * inverse;
    D product = quotient * under;
    D rest = ((over - product) - product_error<D, U>(quotient, under, product)) + __mad(-quotient, under_low, over_low);
    D value = __mad(rest, inverse, quotient);
    return x == 0.0d ? x : value;
}

float tan(float x) { return tan_float<float, int, double, int64, uint64>(x); }
uniform float tan(uniform float x) {
    return tan_float<uniform float, uniform int, uniform double, uniform int64, uniform uint64>(x);
}
double tan(double x) { return tan_double<double, int64, uint64, int>(x); }
uniform double tan(uniform double x) {
    return tan_double<uniform double, uniform int64, uniform uint64, uniform int>(x);
}
float16 tan(float16 x) { return (float16)tan((float)x); }
uniform float16 tan(uniform float16 x) { return (uniform float16)tan((uniform float)x); }

// One reduction for both.
template <typename F, typename I, typename D, typename L, typename U>
static inline void sincos_float(F x, F &sine, F &cosine) {
    F r, lower;
    I quadrant = reduce_signed_float<F, I>(x, r, lower);
    sine = sin_of_quarters_float<F, I>(r, lower, quadrant, 0);
    cosine = sin_of_quarters_float<F, I>(r, lower, quadrant, 1);
    if (!(abs(x) <= 131072.0f)) {
        sine = sin_of_large_float<F, I, D, L, U>(x, 0);
        cosine = sin_of_large_float<F, I, D, L, U>(x, 1);
    }
}

template <typename D, typename L, typename U, typename I>
static inline void sincos_double(D x, D &sine, D &cosine) {
    D r, lower;
    U quadrant = reduce_double<D, L, U, I>(x, r, lower);
    D s = sin_quarter_double<D>(r, lower), c = cos_quarter_double<D>(r, lower);
    sine = sin_of_quarters_double<D, L, U>(s, c, quadrant);
    cosine = sin_of_quarters_double<D, L, U>(s, c, quadrant + 1);
}

void sincos(float x, varying float * uniform s, varying float * uniform c) {
    sincos_float<float, int, double, int64, uint64>(x, *s, *c);
}
void sincos(uniform float x, uniform float * uniform s, uniform float * uniform c) {
    sincos_float<uniform float, uniform int, uniform double, uniform int64, uniform uint64>(x, *s, *c);
}
void sincos(double x, varying double * uniform s, varying double * uniform c) {
    sincos_double<double, int64, uint64, int>(x, *s, *c);
}
void sincos(uniform double x, uniform double * uniform s, uniform double * uniform c) {
    sincos_double<uniform double, uniform int64, uniform uint64, uniform int>(x, *s, *c);
}
#define SINCOS_HALF(RATE) \
    void sincos(RATE float16 x, RATE float16 * uniform s, RATE float16 * uniform c) { \
        RATE float sine, cosine; \
        sincos((RATE float)x, &sine, &cosine); \
        *s = (RATE float16)sine; \
        *c = (RATE float16)cosine; \
    }
SINCOS_HALF(varying)
SINCOS_HALF(uniform)
