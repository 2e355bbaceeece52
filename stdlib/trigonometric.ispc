// sin, cos, sincos, tan.
//
// x = n pi/2 + r with |r| <= pi/4; n mod 4 says which of sin r, cos r, -sin r, -cos r is meant. r is kept as a sum of
// two numbers, r + low, as the rounding of r alone would cost half a unit in the last place.

// 2/pi = 0.A2F9836E 4E441529 ... in base 2^32, enough for the largest double.
static const uniform unsigned int two_over_pi[40] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
    0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
    0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
    0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
    0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB, 0xF0CFBC20, 0x9AF4361D
};

// Reduction of large arguments (Payne and Hanek 1983). x = m 2^e with a 53-bit integer m. Words of 2/pi whose product
// with m 2^e is a multiple of four are left out; the next six give x * 2/pi mod 4 to more than 100 bits.
// Returns the quadrant; r + low is the rest. D, L, U, I: double, int64, uint64, int32 at one rate.
template <typename D, typename L, typename U, typename I>
static noinline I reduce_by_words(D x, D &r, D &low) {
    U bits = __bits(x);
    I e = (I)((bits >> 52) & 0x7FF) - 1075;
    U m = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000;
    U m_low = m & 0xFFFFFFFF, m_high = m >> 32;
    I first = e < 2 ? 0 : min((e - 2) >> 5, (I)34);
    // Product of the six words and m, limbs of 32 bits, the lowest first.
    U limb[8];
    U carry = 0;
    for (uniform int k = 0; k < 6; ++k) {
        U t = m_low * (U)two_over_pi[first + 5 - k] + carry;
        limb[k] = t & 0xFFFFFFFF;
        carry = t >> 32;
    }
    limb[6] = carry;
    limb[7] = 0;
    carry = 0;
    for (uniform int k = 0; k < 6; ++k) {
        U t = m_high * (U)two_over_pi[first + 5 - k] + limb[k + 1] + carry;
        limb[k + 1] = t & 0xFFFFFFFF;
        carry = t >> 32;
    }
    limb[7] = carry;
    // Two bits of quadrant and 126 of fraction.
    I position = 66 - (e - 32 * first);
    I skip = position >> 5;
    U bit = (U)(position & 31);
    U part[4];
    for (uniform int k = 0; k < 4; ++k)
        part[k] = ((limb[skip + k] | (limb[skip + k + 1] << 32)) >> bit) & 0xFFFFFFFF;
    U upper = part[3] << 32 | part[2], lower = part[1] << 32 | part[0];
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

// Up to 10,000: pi/2 in four parts (Cody and Waite 1980); n times each of the first three is exact.
template <typename F, typename I, typename D, typename L, typename U>
static inline I reduce_float(F x, F &r, F &low) {
    F shifted = x * 0.636619772f + 12582912.0f;
    F n = shifted - 12582912.0f;
    I quadrant = (I)__bits(shifted);
    F near = (x - n * 1.5703125f) - n * 0.0004837512969970703125f;
    F step = n * 7.5495336204767227e-8f;
    r = near - step;
    low = ((near - r) - step) - n * 2.5633440682570896e-12f;
    if (abs(x) > 10000.0f) {
        D exact, exact_low;
        quadrant = reduce_by_words<D, L, U, I>((D)x, exact, exact_low);
        // Infinity and NaN have no remainder.
        r = (F)exact + (x - x);
        low = (F)(exact - (D)r);
    }
    return quadrant;
}

template <typename F> static inline F sin_quarter_float(F r, F low) {
    F z = r * r;
    return r + (r * z * (-0.166666646611f + z * (0.00833274803752f + z * -0.000195878405213f)) + low);
}

template <typename F> static inline F cos_quarter_float(F r, F low) {
    F z = r * r;
    F half_square = 0.5f * z;
    F top = 1.0f - half_square;
    F small = z * z * (0.0416666646583f + z * (-0.00138883028023f + z * 2.45478916198e-5f)) - r * low;
    return top + (((1.0f - top) - half_square) + small);
}

template <typename F, typename I, typename D, typename L, typename U> static inline F sin_float(F x) {
    F r, low;
    I quadrant = reduce_float<F, I, D, L, U>(x, r, low);
    F s = sin_quarter_float<F>(r, low), c = cos_quarter_float<F>(r, low);
    F value = (quadrant & 1) != 0 ? c : s;
    value = (quadrant & 2) != 0 ? -value : value;
    return x == 0.0f ? x : value;
}

template <typename F, typename I, typename D, typename L, typename U> static inline F cos_float(F x) {
    F r, low;
    I quadrant = reduce_float<F, I, D, L, U>(x, r, low) + 1;
    F s = sin_quarter_float<F>(r, low), c = cos_quarter_float<F>(r, low);
    F value = (quadrant & 1) != 0 ? c : s;
    return (quadrant & 2) != 0 ? -value : value;
}

// Up to 1,000,000: pi/2 in four parts of 33 bits.
template <typename D, typename L, typename U, typename I>
static inline I reduce_double(D x, D &r, D &low) {
    D shifted = x * 0.6366197723675814d + 6755399441055744.0d;
    D n = shifted - 6755399441055744.0d;
    I quadrant = (I)(__bits(shifted) & 3);
    D near = x - n * 1.57079632673412561416626d;
    D step = n * 6.077100506303965976595549e-11d;
    D first = near - step;
    // What the subtraction lost (Knuth's two-sum), then the remaining parts.
    D back = first - near;
    D lost = (near - (first - back)) - (step + back);
    D rest = lost - (n * 2.022266248711166455795996e-21d + n * 8.478427660368899569973654e-32d);
    r = first + rest;
    low = rest - (r - first);
    if (abs(x) > 1000000.0d) {
        D exact, exact_low;
        quadrant = reduce_by_words<D, L, U, I>(x, exact, exact_low);
        r = exact + (x - x);
        low = exact_low;
    }
    return quadrant;
}

template <typename D> static inline D sin_quarter_double(D r, D low) {
    D z = r * r;
    D p = 0.008333333333333331489876d + z * (-0.0001984126984126506017398d + z * (2.755731921933545342883e-6d +
        z * (-2.50521062311579054867e-8d + z * (1.605853141458901075743e-10d + z * -7.586685070091267160937e-13d))));
    D cube = r * z;
    return r + (cube * (-0.1666666666666666666551d + z * p) + low * (1.0d - 0.5d * z));
}

template <typename D> static inline D cos_quarter_double(D r, D low) {
    D z = r * r;
    D p = 0.04166666666666666666602d + z * (-0.00138888888888888878641d + z * (2.480158730158464377479e-5d +
        z * (-2.755731922140076001531e-7d + z * (2.087675579036339612874e-9d + z * (-1.147046077396932462671e-11d +
        z * 4.745865203787455108001e-14d)))));
    D half_square = 0.5d * z;
    D top = 1.0d - half_square;
    return top + (((1.0d - top) - half_square) + (z * z * p - r * low));
}

template <typename D, typename L, typename U, typename I> static inline D sin_double(D x) {
    D r, low;
    I quadrant = reduce_double<D, L, U, I>(x, r, low);
    D s = sin_quarter_double<D>(r, low), c = cos_quarter_double<D>(r, low);
    D value = (quadrant & 1) != 0 ? c : s;
    value = (quadrant & 2) != 0 ? -value : value;
    return x == 0.0d ? x : value;
}

template <typename D, typename L, typename U, typename I> static inline D cos_double(D x) {
    D r, low;
    I quadrant = reduce_double<D, L, U, I>(x, r, low) + 1;
    D s = sin_quarter_double<D>(r, low), c = cos_quarter_double<D>(r, low);
    D value = (quadrant & 1) != 0 ? c : s;
    return (quadrant & 2) != 0 ? -value : value;
}

float sin(float x) { return sin_float<float, int, double, int64, uint64>(x); }
uniform float sin(uniform float x) {
    return sin_float<uniform float, uniform int, uniform double, uniform int64, uniform uint64>(x);
}
double sin(double x) { return sin_double<double, int64, uint64, int>(x); }
uniform double sin(uniform double x) { return sin_double<uniform double, uniform int64, uniform uint64, uniform int>(x); }
float16 sin(float16 x) { return (float16)sin((float)x); }
uniform float16 sin(uniform float16 x) { return (uniform float16)sin((uniform float)x); }

float cos(float x) { return cos_float<float, int, double, int64, uint64>(x); }
uniform float cos(uniform float x) {
    return cos_float<uniform float, uniform int, uniform double, uniform int64, uniform uint64>(x);
}
double cos(double x) { return cos_double<double, int64, uint64, int>(x); }
uniform double cos(uniform double x) { return cos_double<uniform double, uniform int64, uniform uint64, uniform int>(x); }
float16 cos(float16 x) { return (float16)cos((float)x); }
uniform float16 cos(uniform float16 x) { return (uniform float16)cos((uniform float)x); }

template <typename F, typename I, typename D, typename L, typename U> static inline F tan_float(F x) {
    F r, low;
    I quadrant = reduce_float<F, I, D, L, U>(x, r, low);
    F s = sin_quarter_float<F>(r, low), c = cos_quarter_float<F>(r, low);
    F value = (quadrant & 1) != 0 ? -c / s : s / c;
    return x == 0.0f ? x : value;
}

template <typename D, typename L, typename U, typename I> static inline D tan_double(D x) {
    D r, low;
    I quadrant = reduce_double<D, L, U, I>(x, r, low);
    D s = sin_quarter_double<D>(r, low), c = cos_quarter_double<D>(r, low);
    D value = (quadrant & 1) != 0 ? -c / s : s / c;
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
    F r, low;
    I quadrant = reduce_float<F, I, D, L, U>(x, r, low);
    F s = sin_quarter_float<F>(r, low), c = cos_quarter_float<F>(r, low);
    F first = (quadrant & 1) != 0 ? c : s, second = (quadrant & 1) != 0 ? s : c;
    first = (quadrant & 2) != 0 ? -first : first;
    sine = x == 0.0f ? x : first;
    cosine = ((quadrant + 1) & 2) != 0 ? -second : second;
}

template <typename D, typename L, typename U, typename I>
static inline void sincos_double(D x, D &sine, D &cosine) {
    D r, low;
    I quadrant = reduce_double<D, L, U, I>(x, r, low);
    D s = sin_quarter_double<D>(r, low), c = cos_quarter_double<D>(r, low);
    D first = (quadrant & 1) != 0 ? c : s, second = (quadrant & 1) != 0 ? s : c;
    first = (quadrant & 2) != 0 ? -first : first;
    sine = x == 0.0d ? x : first;
    cosine = ((quadrant + 1) & 2) != 0 ? -second : second;
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
