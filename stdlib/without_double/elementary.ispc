// Elementary functions of float for devices without fused multiply-add and double: they take the place of those in the library.
//
// The algorithms are those of the library; products and sums are rounded one by one, but for what near_fma is asked for. ln 2 is
// split such that n times its upper part is exact, in two ways: one has a lower part of the same sign, for logarithms of 0.
//
// The arithmetic of NaplesPU as it is built has no small numbers and no infinities: exponents wrap around. It subtracts 0 from 0
// wrong, gives 0 for the difference of neighbours, and loses what is 2^23 times smaller (NaplesPU 7). So nothing is rounded by
// adding 1.5 * 2^23, differences from 1 and small products are made of integers, powers of two are divided by (a quotient is
// right), and where a number is tiny, not finite or no number, what was computed is not taken.

// The nearest integer of a number, of which 1024 times is given. What the core's conversion makes 0 of becomes 0 here anyway.
#define NEAREST(TIMES_1024) ((int)(TIMES_1024) + 512 >> 10)
// How __scale_sum takes an integer.
#define SHIFTED(N) __float_of_bits((unsigned int)((N) + 0x4B400000))
#define SIZE_BITS(X) (__bits(X) & 0x7FFFFFFF)
// VALUE where the size of X, as bits, is from LEAST to below END.
#define WHERE(X, LEAST, END, VALUE, OTHER) (SIZE_BITS(X) - (LEAST) < (END) - (LEAST) ? (VALUE) : (OTHER))
#define NOT_A_NUMBER 0x7F800001
#define INFINITE 0x7F800000
// Below these, x is the sine, tangent, .. of x, or e^x - 1 and the logarithm of 1 + x.
#define TINY_FOR_CUBES 0x38800000
#define TINY_FOR_SQUARES 0x33000000

// m - 1 for m from 3/4 to 3/2, exact: the shift is there to show that a float holds the number.
#define STEPS_FROM_ONE(M) ((int)__bits(M) - 0x3F800000)
template <typename F> static inline F less_one(F m) {
    return (F)(STEPS_FROM_ONE(m) + (STEPS_FROM_ONE(m) & ~(STEPS_FROM_ONE(m) >> 31)) << 8) * 2.32830644e-10f;
}

// 11 bits of it, such that the rest is no less than two units of the last place: a single one would be lost. Products of two
// such numbers have an even last place: what is subtracted from twice the size is then exact.
template <typename F> static inline F upper_half(F a) { return __float_of_bits(__bits(a) - 2 & 0xFFFFE000); }

// What the product of a and b lost in rounding, by halves (Dekker 1971).
template <typename F> static inline F lost_by_product(F a, F b, F product) {
    F a_high = upper_half<F>(a), b_high = upper_half<F>(b);
    F a_low = a - a_high, b_low = b - b_high;
    F error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return __bits(product) << 1 == 0 ? (F)0.0f : error;
}

// a b + c, off by little more than half a unit of the last place, exact where the result has few enough digits: the error of
// the product by halves (Dekker 1971), and that of the sum (Knuth). a and b are not 0.
template <typename F> static inline F near_fma(F a, F b, F c) {
    F product = a * b;
    F a_high = upper_half<F>(a), b_high = upper_half<F>(b);
    F a_low = a - a_high, b_low = b - b_high;
    F error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    F sum = product + c;
    F part = sum - product;
    return sum + ((product - (sum - part)) + (c - part) + error);
}

// x - near, where they are at most 0.35 apart: by way of a half more, so that no difference is that of neighbours or of zeros,
// and none of numbers of which the smaller one has the last digit. Exact but for 2^-25.
template <typename F> static inline F less_near(F x, F near) {
    F half = __copysign((F)0.5f, x);
    return (x - (near - half)) - half;
}

template <typename F> static inline F exp_reduced_float(F x, F &shifted) {
    F bounded = __max((F)-104.0f, __min((F)90.0f, x));
    F n = (F)NEAREST(bounded * 1477.3197f);
    shifted = SHIFTED(NEAREST(bounded * 1477.3197f));
    F most = less_near<F>(bounded, n * 0.693359375f), rest = n * 2.12194440e-4f;
    F r = most + rest;
    F z = r * r;
    F p = z * (z * 0.00138207339f + (r * 0.00836867746f + 0.0416682661f)) + (r * 0.166665211f + 0.49999994f);
    return most + (z * p + rest);
}

template <typename F> static inline F exp_float(F x) {
    F shifted;
    F e = exp_reduced_float<F>(x, shifted);
    return SIZE_BITS(x) < NOT_A_NUMBER ? __scale_sum((F)1.0f, e, shifted) : x;
}

template <typename F> static inline F half_exp_float(F x) {
    F shifted;
    F e = exp_reduced_float<F>(x, shifted);
    return __scale_sum((F)1.0f, e, __float_of_bits(__bits(shifted) - 1));
}

template <typename F> static inline F exp2_float(F x) {
    F bounded = __max((F)-151.0f, __min((F)129.0f, x));
    F n = (F)NEAREST(bounded * 1024.0f);
    F e = exp2_polynomial_float<F>(less_near<F>(bounded, n));
    return SIZE_BITS(x) < NOT_A_NUMBER ? __scale_sum((F)1.0f, e, SHIFTED(NEAREST(bounded * 1024.0f))) : x;
}

template <typename F> static inline F exp2_polynomial_float(F r) {
    F z = r * r;
    F p = z * (r * 0.000153289526f + 0.00133909809f) + (r * 0.00961850025f + 0.0555035956f);
    return r * 0.693147182f + z * (r * p + 0.240226477f);
}

template <typename F> static inline F log_series_float(F f) {
    F z = f * f;
    F y = z * z;
    F low = z * (f * -0.166493118f + 0.200007305f) + (f * -0.250004411f + 0.333333313f);
    F high = z * (f * -0.0974718258f + 0.119999751f) + (f * -0.127270609f + 0.142404571f);
    return f * (y * (y * 0.0417119488f + high) + low) - 0.49999997f;
}

template <typename F, typename I> static inline F log_float(F x) {
    F k;
    F f = less_one<F>(significand_and_exponent<F, I>(x, k));
    F value = k * 0.69140625f + (f + ((f * f) * log_series_float<F>(f) + k * 0.00174093056f));
    return SIZE_BITS(k) < INFINITE ? value : k;
}

template <typename F, typename I, typename D> static inline F log2_float(F x) {
    F exponent;
    F m = significand_and_exponent<F, I>(x, exponent);
    F k = m > 1.33333337f ? exponent + 1.0f : exponent;
    F f = less_one<F>(__float_of_bits(__bits(m) - (__bits(m) > 0x3FAAAAAB ? 0x800000 : 0)));
    F z = f * f;
    F y = z * z;
    F low = z * (f * -0.240633771f + 0.288686574f) + (f * -0.36067149f + 0.480896711f);
    F high = z * -0.18552424f + (f * 0.201606259f - 0.175920799f);
    F cube = z * f * (y * (f * high + 0.202096641f) + low);
    F linear = f * 1.44269502f;
    F linear_low = lost_by_product<F>(f, (F)1.44269502f, linear);
    F sum = k + linear;
    F sum_low = linear - (sum - k);
    F square_low = lost_by_product<F>(f, f, z) * -0.721347511f;
    F value = sum + (sum_low + (z * -0.721347511f + (cube + (square_low + (f * 1.92596303e-8f + linear_low)))));
    return __bits(f) != 0 & SIZE_BITS(k) < INFINITE ? value : k;
}

template <typename F> static inline F expm1_curve_float(F most, F rest) {
    F r = most + rest;
    F z = r * r;
    F p = z * (z * (r * 0.000197625719f + 0.00139323308f) + (r * 0.00833354518f + 0.0416664928f)) + (r * 0.166666657f + 0.5f);
    return z * p + rest;
}

template <typename F> static inline F expm1_float(F x) {
    F bounded = __max((F)-25.0f, __min((F)88.72283f, x));
    F n = (F)NEAREST(bounded * 1477.3197f);
    F most = n == 0.0f ? bounded : less_near<F>(bounded, n * 0.693359375f);
    F p = most + expm1_curve_float<F>(most, n * 2.12194440e-4f);
    F half = __float_of_bits((unsigned int)(NEAREST(bounded * 1477.3197f) + 126 << 23));
    F value = 2.0f * (p * half + (half - 0.5f));
    value = x > 88.72283f ? __float_of_bits(0x7F800000) : value;
    return WHERE(x, TINY_FOR_SQUARES, NOT_A_NUMBER, value, x);
}

template <typename F, typename I> static inline F log1p_float(F x) {
    F u = x < -0.5f ? (F)(0x3F800000 - (int)SIZE_BITS(x)) * 5.96046448e-8f : 1.0f + x;
    F f = less_one<F>(__significand(u));
    F k = __exponent(u);
    F beyond = __bits(k) == 0 ? f : u - 1.0f;
    F lost = u > 2.0f ? 1.0f - (u - x) : x - beyond;
    lost = x < -0.5f ? (F)0.0f : lost;
    F result = k * 0.69140625f + (f + ((f * f) * log_series_float<F>(f) + (lost / u + k * 0.00174093056f)));
    result = x <= -1.0f ? (x < -1.0f ? __float_of_bits(0x7FC00000) : __float_of_bits(0xFF800000)) : result;
    return WHERE(x, TINY_FOR_SQUARES, INFINITE, result, x < 0.0f & SIZE_BITS(x) == INFINITE ? __float_of_bits(0x7FC00000) : x);
}

// Where a number is tiny, its sine or the like is known; where it is infinite, there is none.
template <typename F> static inline F angle_function(F x, F value, F of_tiny) {
    F other = SIZE_BITS(x) < TINY_FOR_CUBES ? of_tiny : __float_of_bits(0x7FC00000);
    return WHERE(x, TINY_FOR_CUBES, INFINITE, value, other);
}

template <typename F, typename I, typename D, typename L, typename U> static inline F sin_float(F x) {
    F r, low;
    I quadrant = reduce_in_fixed_point<F, I, L, U>(abs(x), r, low);
    F value = sin_of_quarters_float<F, I>(r, -low, quadrant, 0);
    return angle_function<F>(x, __float_of_bits(__bits(value) ^ (__bits(x) & 0x80000000)), x);
}

template <typename F, typename I, typename D, typename L, typename U> static inline F cos_float(F x) {
    F r, low;
    I quadrant = reduce_in_fixed_point<F, I, L, U>(abs(x), r, low);
    return angle_function<F>(x, sin_of_quarters_float<F, I>(r, -low, quadrant, 1), (F)1.0f);
}

template <typename F, typename I, typename D, typename L, typename U>
static inline void sincos_float(F x, F &sine, F &cosine) {
    F r, low;
    I quadrant = reduce_in_fixed_point<F, I, L, U>(abs(x), r, low);
    F value = sin_of_quarters_float<F, I>(r, -low, quadrant, 0);
    sine = angle_function<F>(x, __float_of_bits(__bits(value) ^ (__bits(x) & 0x80000000)), x);
    cosine = angle_function<F>(x, sin_of_quarters_float<F, I>(r, -low, quadrant, 1), (F)1.0f);
}

template <typename F> static inline F square_of_sum(F r, F low) { return r * r + (r + r) * low; }

// For even and odd quadrants: sin r = r - r T(r^2), cos r = 1 + r^2 T(r^2); and the bits to be turned in a quadrant's sign.
// A table of eight begins at 0 or, for what lies a quarter turn ahead, at 1.
#define QUARTERS(EVEN, ODD) {EVEN, ODD, EVEN, ODD, EVEN, ODD, EVEN, ODD, EVEN}
static const uniform float quarter_terms[4][9] = {
    QUARTERS(0.0f, -0.5f),
    QUARTERS(0.166666552f, 0.0416666456f),
    QUARTERS(-0.00833219104f, -0.00138873013f),
    QUARTERS(0.000195185989f, 2.44306684e-05f)
};
static const uniform float quarter_signs[9] = {0.0f, 0.0f, -0.0f, -0.0f, 0.0f, 0.0f, -0.0f, -0.0f, 0.0f};

template <typename F, typename I> static inline F sin_of_quarters_float(F r, F lower, I quadrant, uniform int ahead) {
    F z = r * r;
    F t = z * __lookup_eight(&quarter_terms[3][ahead], quadrant) + __lookup_eight(&quarter_terms[2][ahead], quadrant);
    t = z * (z * t + __lookup_eight(&quarter_terms[1][ahead], quadrant)) + __lookup_eight(&quarter_terms[0][ahead], quadrant);
    F rest = r * t + lower;
    F value = (quadrant & 1) != ahead ? (r * rest + 1.0f) : r - rest;
    return __float_of_bits(__bits(value) ^ __bits(__lookup_eight(&quarter_signs[ahead], quadrant)));
}

template <typename F, typename I, typename D, typename L, typename U> static inline F tan_float(F x) {
    F r, low;
    I quadrant = reduce_in_fixed_point<F, I, L, U>(abs(x), r, low);
    F z = square_of_sum<F>(r, low);
    F p = z * (z * (z * (z * (z * 0.00947746634f + 0.00295411143f) + 0.0245411936f) + 0.0533775277f) + 0.133392468f) + 0.333331376f;
    F rest = (r * z) * p + (low * z + low);
    F tangent = r + rest;
    // For odd quadrants minus the reciprocal, its rounding and that of the tangent made good.
    F tangent_low = rest - (tangent - r);
    F inverse = -1.0f / tangent;
    F error = inverse * tangent_low + near_fma<F>(inverse, tangent, 1.0f);
    F turned = inverse * error + inverse;
    F value = (quadrant & 1) != 0 ? turned : tangent;
    return angle_function<F>(x, __float_of_bits(__bits(value) ^ (__bits(x) & 0x80000000)), x);
}

// As the library's tables, for reciprocals of 24 bits.
static const uniform float pow_rounded_reciprocals[16] = {
    1.34265733f, 1.28859067f, 1.23870969f, 1.19254661f, 1.14970064f, 1.10982656f, 1.07262576f, 1.03783786f,
    1.0f, 0.950495064f, 0.897196293f, 0.849557519f, 0.806722701f, 0.768000007f, 0.732824445f, 0.700729966f
};
// log2(1 / c): multiples of 2^-16, to which k can be added exactly, and the rests.
static const uniform float pow_rounded_logarithms[16] = {
    -0.425094604f, -0.36579895f, -0.308837891f, -0.254043579f, -0.201263428f, -0.15032959f, -0.101150513f, -0.0535736084f,
    0.0f, 0.0732421875f, 0.156509399f, 0.235214233f, 0.309860229f, 0.380828857f, 0.448455811f, 0.513076782f
};
static const uniform float pow_rounded_logarithm_rests[16] = {
    3.45667286e-06f, 4.89648528e-06f, -2.17362327e-07f, -2.07037738e-06f, 5.16574255e-06f, -4.65099401e-06f,
    3.71130886e-06f, -7.4667405e-06f, 0.0f, 6.77213711e-06f, -4.96389566e-06f, 2.2336701e-06f, -4.98750751e-06f,
    -7.08602147e-06f, 4.65623134e-06f, -7.28060422e-06f
};

template <typename F, typename I> static inline F pow_positive_float(F a, F b, F extra) {
    I bits = (I)__bits(a);
    I above = bits - 0x3F3AAAAB;
    I interval = above >> 19;
    F z = __float_of_bits(bits - (above & 0xFF800000));
    F c = __lookup((uniform float * uniform)pow_rounded_reciprocals, interval);
    // f = c z - 1: whole is exact, part what c z lost in rounding.
    F near_one = c == 1.0f ? z : c * z;
    F part = c == 1.0f ? (F)0.0f : lost_by_product<F>(c, z, near_one);
    F whole = less_one<F>(near_one);
    F f = whole + part;
    F square = f * f;
    F p = square * (square * -0.212309733f + (f * 0.288719028f - 0.360710621f)) + (f * 0.480898321f - 0.721347511f);
    F linear = whole * 1.44269502f;
    F linear_low = part * 1.44269502f + (whole * 1.92596303e-8f + lost_by_product<F>(whole, (F)1.44269502f, linear));
    F base = ((F)(above >> 23) + extra) + __lookup((uniform float * uniform)pow_rounded_logarithms, interval);
    // Of which the difference is found right.
    F log_high = __float_of_bits(__bits(base + linear) & 0xFFFFFFFC);
    F log_low = (linear + (base - log_high)) + linear_low +
        (square * p + __lookup((uniform float * uniform)pow_rounded_logarithm_rests, interval));
    // Powers that are 1; and not to wrap around.
    b = SIZE_BITS(b) < 0x2B800000 ? (F)9.09494702e-13f : b;
    F exponent = b * log_high;
    F exponent_low = b * log_low + lost_by_product<F>(b, log_high, exponent);
    exponent = SIZE_BITS(b) < 0x70000000 ? exponent : b * 8.67361738e-19f * log_high;
    F bounded = __max((F)-160.0f, __min((F)160.0f, exponent));
    exponent_low = bounded == exponent ? exponent_low : (F)0.0f;
    F n = (F)NEAREST((bounded + exponent_low) * 1024.0f);
    F half = __copysign((F)0.5f, bounded);
    F r = ((bounded - (n - half)) + exponent_low) - half;
    F power = __scale_sum((F)1.0f, exp2_polynomial_float<F>(r), SHIFTED(NEAREST((bounded + exponent_low) * 1024.0f)));
    return a == 1.0f && extra == 0.0f ? (F)1.0f : power;
}

template <typename F, typename I, typename D> static inline F pow_float(F a, F b) {
    F power = pow_positive_float<F, I>(a, b, (F)0.0f);
    if (__bits(a) - 0x00800000 >= 0x7F000000 | SIZE_BITS(b) >= INFINITE)
        power = pow_special_float<F, I>(a, b);
    return power;
}

template <typename F, typename I, typename D> static inline F pow_of_one_float(F a, F b) { return pow_float<F, I, D>(a, b); }
template <typename F> static inline F exp_of_one_float(F x) { return exp_float<F>(x); }
template <typename F> static inline F exp2_of_one_float(F x) { return exp2_float<F>(x); }
template <typename F> static inline F atan_of_one_float(F x) { return atan_float<F>(x); }

template <typename F, typename I> static inline F cbrt_float(F x) {
    F size = abs(x);
    F k = __exponent(size);
    I third = NEAREST(k * 341.333344f);
    F a = __float_of_bits(__bits(__significand(size)) + (NEAREST(k * 1024.0f) - 3 * third << 23));
    F t = __float_of_bits(__bits(a) / 3 + 709958130);
    F cube = t * t * t;
    t = t * ((cube + 2.0f * a) / (2.0f * cube + a));
    t = __float_of_bits((I)__bits(t) & 0xFFFFF000);
    F ratio = a / (t * t);
    t = __copysign(__scale_sum(t, t * ((ratio - t) / (2.0f * t + ratio)), SHIFTED(third)), x);
    return x == 0.0f || !(size < __float_of_bits(0x7F800000)) ? x : t;
}

template <typename F> static inline F sinh_float(F x) {
    F size = abs(x), z = x * x;
    F p = z * (z * (z * 2.78392554e-6f + 0.000198426351f) + 0.00833331142f) + 0.166666672f;
    F half = half_exp_float<F>(size);
    F near = (x * z) * p + x, far = __copysign(half - 0.25f / half, x);
    return WHERE(x, TINY_FOR_CUBES, NOT_A_NUMBER, size < 1.0f ? near : far, x);
}

template <typename F> static inline F cosh_float(F x) {
    F half = half_exp_float<F>(abs(x));
    return SIZE_BITS(x) < NOT_A_NUMBER ? half + 0.25f / half : x;
}

template <typename F, typename I, typename D> static inline F tanh_float(F x) {
    F bounded = __min((F)10.0f, abs(x));
    F doubled = bounded + bounded;
    F n = (F)NEAREST(doubled * 1477.3197f);
    F most = n == 0.0f ? doubled : less_near<F>(doubled, n * 0.693359375f);
    F power = __float_of_bits((unsigned int)(NEAREST(doubled * 1477.3197f) + 127 << 23));
    F m = (most + expm1_curve_float<F>(most, n * 2.12194440e-4f)) * power + (power - 1.0f);
    // The quotient, with what the rounding of the divisor and of the quotient lost.
    F d = m + 2.0f;
    F inverse = 1.0f / d;
    F q = m * inverse;
    F d_low = __max(2.0f, m) - d + __min(2.0f, m);
    F rest = -q * d_low + near_fma<F>(-q, d, m);
    return WHERE(x, TINY_FOR_CUBES, NOT_A_NUMBER, __copysign(rest * inverse + q, x), x);
}

template <typename F, typename U> static inline F atan2_float(F y, F x) {
    F n = abs(y), d = abs(x);
    // Where one is NaN, both sides of the quotient get what is NaN.
    F least = __min(d, n), most = __max((F)1.40129846e-45f, __max(n, d));
    F quotient = least / most;
    // None of zeros, and of subnormal numbers, which divisions take for zeros.
    F t = least == most ? (F)1.0f : SIZE_BITS(quotient) < NOT_A_NUMBER ? quotient : (F)0.0f;
    F z = t * t;
    F u = z * z;
    F low = u * (z * 0.106792226f - 0.142142847f) + (z * 0.199941471f - 0.333331674f);
    F high = u * (z * 0.00297553698f - 0.0165850837f) + (z * 0.0435600914f - 0.0758115426f);
    F angle = SIZE_BITS(t) < TINY_FOR_CUBES ? t : (t * z) * ((u * u) * high + low) + t;
    U left = __bits(x) & 0x80000000;
    // Rounded down, so that what is added is positive.
    F axis = n > d ? (F)1.57079625f : __float_of_bits((U)0x40490FDA & (U)((int)left >> 31));
    U turned = n > d ? left ^ 0x80000000 : left;
    F part = __float_of_bits(__bits(angle) ^ turned);
    // A sum of a tiny number and zero is another number.
    F value = __copysign(__bits(axis) == 0 ? part : axis + (axis * 4.80634403e-8f + part), y);
    value = SIZE_BITS(x) < NOT_A_NUMBER ? value : x;
    return SIZE_BITS(y) < NOT_A_NUMBER ? value : y;
}

template <typename F> static inline F atan_float(F x) {
    F size = abs(x);
    F inverse = 1.0f / __min((F)33554432.0f, size);
    F t = size > 1.0f ? inverse : size;
    F z = t * t;
    F u = z * z;
    F low = u * (z * 0.106792226f - 0.142142847f) + (z * 0.199941471f - 0.333331674f);
    F high = u * (z * 0.00297553698f - 0.0165850837f) + (z * 0.0435600914f - 0.0758115426f);
    F angle = SIZE_BITS(t) < TINY_FOR_CUBES ? t : (t * z) * ((u * u) * high + low) + t;
    F value = size > 1.0f ? 1.57079637f - (angle + 4.37113883e-8f) : angle;
    return SIZE_BITS(x) < NOT_A_NUMBER ? __copysign(value, x) : x;
}

// (1 - size) / 2 above 1/2, exact.
template <typename F> static inline F folded_square(F x) {
    F size = abs(x);
    return size > 0.5f ? (F)(0x3F800000 - (int)__bits(size)) * 2.98023224e-8f : x * x;
}

template <typename F> static inline F asin_float(F x) {
    F size = abs(x);
    F z = folded_square<F>(x);
    F s = size > 0.5f ? sqrt(z) : size;
    F p = s * asin_series_float<F>(z);
    F head = __float_of_bits(__bits(s) & 0xFFFFF000);
    F rest = s == 0.0f ? s : (z - head * head) / (s + head);
    F folded = (1.57079637f - 2.0f * head) - (2.0f * (rest + p) + 4.37113883e-8f);
    F other = size > 1.0f | SIZE_BITS(x) > INFINITE ? __float_of_bits(0x7FC00000) : x;
    return WHERE(x, TINY_FOR_CUBES, 0x3F800001, __copysign(size > 0.5f ? folded : s + p, x), other);
}

template <typename F> static inline F acos_float(F x) {
    F size = abs(x);
    F z = folded_square<F>(x);
    F s = size > 0.5f ? sqrt(z) : x;
    F p = s * asin_series_float<F>(z);
    F head = __float_of_bits(__bits(s) & 0xFFFFF000);
    F rest = s == 0.0f ? s : (z - head * head) / (s + head);
    F middle = 1.57079637f - (x + (p + 4.37113883e-8f));
    F left = 3.14159274f - (2.0f * (s + p) + 8.74227766e-8f);
    F right = 2.0f * (head + (rest + p));
    F value = x > 0.5f ? right : (x < -0.5f ? left : middle);
    F other = size < 1.0f ? 1.57079637f - x : __float_of_bits(0x7FC00000);
    return WHERE(x, TINY_FOR_CUBES, 0x3F800001, value, other);
}

template <typename F> static inline F erf_near_float(F x) {
    F z = x * x;
    F y = z * z;
    F low = y * (z * -0.0268560778f + 0.112836279f) + (z * -0.376126289f + 0.128379166f);
    F high = y * (z * -1.38589735e-06f + 8.37591433e-05f) + (z * -0.000808809884f + 0.00519415271f);
    return x * ((y * y) * high + low) + x;
}

// erf c for the centres c = 17/32 k, then the coefficients of P in erf(c + t) = erf c + t P(t); around zero t + t P(t).
// From 3.98 on it is 1.
static const uniform float erf_rough_pieces[7][8] = {
    {0.0f, 0.547528446f, 0.867058277f, 0.975797713f,
     0.997345984f, 0.999827683f, 0.999993443f, 0.999999881f},
    {0.128379166f, 0.85091418f, 0.364903331f, 0.0889875069f,
     0.0123407524f, 0.000973263639f, 4.36550763e-05f, 1.11387271e-06f},
    {-7.15402905e-07f, -0.452047884f, -0.387710273f, -0.14182426f,
     -0.0262240991f, -0.00258516334f, -0.00013913562f, -4.14097349e-06f},
    {-0.376085222f, -0.123569913f, 0.15294072f, 0.121050797f,
     0.0330454558f, 0.0042505716f, 0.000280160923f, 9.80612822e-06f},
    {-0.000736543676f, 0.183467165f, 0.0480157547f, -0.0491616838f,
     -0.0263709482f, -0.00478745531f, -0.000400892575f, -1.69122432e-05f},
    {0.118544951f, -0.00099796732f, -0.0647609532f, -0.00568479393f,
     0.0122640003f, 0.00389361521f, 0.000454338326f, 2.47743174e-05f},
    {-0.020134408f, -0.0475473255f, 0.00967332162f, 0.0156085566f,
     -0.00161002972f, -0.00209708977f, -0.000362298451f, -2.52059526e-05f}
};

template <typename F, typename I> static inline F erf_float(F x) {
    F size = __min((F)3.98f, abs(x));
    I piece = NEAREST(size * 1927.52942f);
    F t = size - (F)piece * 0.53125f;
    F z = t * t;
    F low = t * __lookup_eight(&erf_rough_pieces[2][0], piece) + __lookup_eight(&erf_rough_pieces[1][0], piece);
    F middle = t * __lookup_eight(&erf_rough_pieces[4][0], piece) + __lookup_eight(&erf_rough_pieces[3][0], piece);
    F high = t * __lookup_eight(&erf_rough_pieces[6][0], piece) + __lookup_eight(&erf_rough_pieces[5][0], piece);
    F start = size < 0.265625f ? t : __lookup_eight(&erf_rough_pieces[0][0], piece);
    F value = t * (z * (z * high + middle) + low) + start;
    // A quotient, as a product takes subnormal numbers for others.
    return __copysign(WHERE(x, TINY_FOR_CUBES, NOT_A_NUMBER, value, x / 0.886226925f), x);
}

template <typename F, typename D> static inline F erfc_tail_float(F size) {
    F x = __min((F)10.5f, size);
    F d = x + 3.0f;
    F d_low = x > 3.0f ? 3.0f - (d - x) : x - (d - 3.0f);
    F t = 1.0f / d;
    // Both may be zero.
    F t_error = (near_fma<F>(-d, t, 1.0f) + 8.67361738e-19f) - d_low * t;
    F y = (x - 3.0f) * t;
    F y_low = y * t_error + lost_by_product<F>(x - 3.0f, t, y);
    F z = y * y;
    F u = z * z;
    F high = z * (y * -0.000245890435f - 0.000391137408f) + (y * 0.00303594442f - 0.00128566159f);
    F low = z * (y * -0.0268320851f + 0.119540945f) + (y * -0.310466468f + 0.590227544f);
    // The polynomial and its product with t in double length; its derivative only roughly.
    F slope = y * (y * (u * high + low) - 0.88339448f);
    F p = 1.07400692f + slope;
    F p_low = y_low * (y * (y * -0.7f + 1.18f) - 0.88f) + (slope + (1.07400692f - p));
    F ratio = p * t;
    F ratio_low = ratio * t_error + (p_low * t + lost_by_product<F>(p, t, ratio));
    // e^-(x^2) = 2^n (1 + most + curve)
    F square = x * x;
    F n = (F)NEAREST(square * -1477.3197f);
    F rest = n * 2.12194440e-4f - lost_by_product<F>(x, x, square);
    F most = -square - n * 0.693359375f;
    F curve = expm1_curve_float<F>(most, rest);
    return __scale_sum(ratio, ratio * most + (ratio * curve + (ratio_low * most + ratio_low)), SHIFTED(NEAREST(square * -1477.3197f)));
}

template <typename F, typename I, typename D, typename U> static inline F erfc_float(F x) {
    F tail = erfc_tail_float<F, D>(abs(x)), near = 1.0f - erf_near_float<F>(x);
    F far = x < 0.0f ? 2.0f - tail : tail;
    return WHERE(x, TINY_FOR_CUBES, NOT_A_NUMBER, abs(x) < 0.72f ? near : far, 1.0f - x * 1.12837917f);
}

// By quotients: products of powers of two wrap around.
#define LDEXP_BY_QUOTIENTS(RATE) \
    RATE float ldexp(RATE float x, RATE int n) { \
        for (uniform int step = 0; step < 2; ++step) { \
            RATE int part = n > 126 ? 126 : (n < -126 ? -102 : 0); \
            x = x / __float_of_bits((RATE unsigned int)(127 - part << 23)); \
            n -= part; \
        } \
        n = __min((RATE int)126, __max((RATE int)-126, n)); \
        return x / __float_of_bits((RATE unsigned int)(127 - n << 23)); \
    }
LDEXP_BY_QUOTIENTS(varying)
LDEXP_BY_QUOTIENTS(uniform)

// Powers of two that keep a quotient in range would be too much for exponents that wrap around.
float rsqrt(float x) { return 1 / __sqrt(x); }
uniform float rsqrt(uniform float x) { return 1 / __sqrt(x); }
