// Parts of sin, cos, tan and fmod that do without double: they take the place of those of the same name in the library.

// 2/pi = 0.A2F9836E 4E441529 ... in base 2^32, enough for the largest float.
static const uniform unsigned int two_over_pi_of_float[8] = {
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561
};

// Reduction of large arguments (Payne and Hanek 1983). size = m 2^e with a 24-bit integer m. Words of 2/pi whose product
// with m 2^e is a multiple of four are left out; the next four give size * 2/pi mod 4 to 64 bits behind the point.
// Returns the quadrant; fixed is the rest, in 2^-62. F, I, U, L: float, int32, uint64, int64 at one rate.
template <typename F, typename I, typename U, typename L> static inline I reduce_float_by_words(F size, L &fixed) {
    I bits = (I)__bits(size);
    I e = ((bits >> 23) & 0xFF) - 150;
    U m = (U)((bits & 0x7FFFFF) | 0x800000);
    I first = e < 2 ? 0 : (e - 2) >> 5;
    U limb[6];
    U carry = 0;
    for (uniform int k = 0; k < 4; ++k) {
        U t = m * (U)two_over_pi_of_float[first + 3 - k] + carry;
        limb[k] = t & 0xFFFFFFFF;
        carry = t >> 32;
    }
    limb[4] = carry;
    limb[5] = 0;
    I position = 64 - (e - 32 * first);
    I skip = position >> 5;
    U bit = (U)(position & 31);
    U low_part = ((limb[skip] | (limb[skip + 1] << 32)) >> bit) & 0xFFFFFFFF;
    U high_part = ((limb[skip + 1] | (limb[skip + 2] << 32)) >> bit) & 0xFFFFFFFF;
    U above = (limb[skip + 2] | (limb[skip + 3] << 32)) >> bit;
    L fraction = (L)(high_part << 32 | low_part);
    I quadrant = (I)(above & 3) + (fraction < 0 ? 1 : 0);
    // The fraction, in quarter turns of 2^-64, times pi/2 of 2^-62.
    U magnitude = (U)(fraction < 0 ? -fraction : fraction);
    U product = (magnitude >> 32) * 0x6487ED51 + ((magnitude >> 32) * 0x10B4611A >> 32) +
        ((magnitude & 0xFFFFFFFF) * 0x6487ED51 >> 32);
    fixed = (L)(fraction < 0 ? -product : product);
    return quadrant;
}

// size = n pi/2 + r in fixed point: for r 62 bits behind the point count, all others are the same for any n. r + low is what
// these are as floats of 24 bits each. Returns n.
template <typename F, typename I, typename L, typename U> static inline I reduce_in_fixed_point(F size, F &r, F &low) {
    I bits = (I)__bits(size);
    // The nearest one, but for what is next to the middle.
    I n = (int)(size * 651.898647f) + 512 >> 10;
    I places = (bits >> 23) - 88;
    U whole = (U)((bits & 0x7FFFFF) | 0x800000) << (U)(places & 63);
    L multiple = (L)n * 0x6487ED5110B4611A + ((L)n * 0x62633145 >> 32);
    L fixed = (L)whole - multiple;
    if (size > 131072.0f)
        n = reduce_float_by_words<F, I, U, L>(size, fixed);
    U magnitude = (U)(fixed < 0 ? -fixed : fixed);
    U zeros = (U)__leading_zeros((L)magnitude);
    U normal = magnitude << (zeros & 63);
    I sign = (I)(fixed >> 32) & 0x80000000;
    I upper = (I)(normal >> 40), lower = (I)(normal >> 16) & 0xFFFFFF;
    r = __float_of_bits((I)__bits((F)upper) - ((I)zeros + 22 << 23) | sign);
    low = __float_of_bits((I)__bits((F)lower * __float_of_bits((unsigned int)(127 - 46 - (I)zeros << 23))) | sign);
    return n;
}

// The remainder, bit by bit: what is left of the dividend's significand, doubled for each power of two between the two. It
// has the sign of x, also where it is zero or NaN.
template <typename F, typename I, typename U> static inline F fmod_float(F x, F y) {
    U sign = (U)__bits(x) & 0x80000000;
    U a = (U)__bits(x) & 0x7FFFFFFF, b = (U)__bits(y) & 0x7FFFFFFF;
    F result = x;
    if (b == 0 || b > 0x7F800000 || a >= 0x7F800000) {
        result = __float_of_bits(sign | 0x7FC00000);
    } else if (a >= b) {
        I exponent = (I)(a >> 23), scale = (I)(b >> 23);
        U rest = (a & 0x7FFFFF) | 0x800000, divisor = (b & 0x7FFFFF) | 0x800000;
        if (exponent == 0) {
            I places = (I)__leading_zeros((I)a) - 8;
            rest = a << (U)places;
            exponent = 1 - places;
        }
        if (scale == 0) {
            I places = (I)__leading_zeros((I)b) - 8;
            divisor = b << (U)places;
            scale = 1 - places;
        }
        for (; exponent > scale; --exponent) {
            if (rest >= divisor)
                rest -= divisor;
            rest <<= 1;
        }
        if (rest >= divisor)
            rest -= divisor;
        if (rest != 0) {
            I places = (I)__leading_zeros((I)rest) - 8;
            rest <<= (U)places;
            scale -= places;
            if (scale > 0)
                rest += (U)(scale - 1) << 23;
            else
                rest >>= (U)(1 - scale);
        }
        result = __float_of_bits(rest | sign);
    }
    return result;
}

float fmod(float x, float y) { return fmod_float<float, int, unsigned int>(x, y); }
uniform float fmod(uniform float x, uniform float y) {
    return fmod_float<uniform float, uniform int, uniform unsigned int>(x, y);
}
float16 fmod(float16 x, float16 y) { return (float16)fmod((float)x, (float)y); }
uniform float16 fmod(uniform float16 x, uniform float16 y) { return (uniform float16)fmod((uniform float)x, (uniform float)y); }
