// pow.
//
// a^b = 2^(b log2 a), for double e^(b log a). The product with b costs up to ten bits, so the logarithm of float is kept as a sum of two
// floats, good to 2^-32, and that of double as a sum of two doubles, good to 2^-65.
#include "attributes.isph"

// log2 a = k + log2(1 / c) + log2(c z) (Tang 1990): z runs from 0.736 to 1.473, in sixteen intervals of equal bit
// patterns; c is near 1 / z in the middle of each, of so few bits that c z - 1 is a float. 1 itself lies within the ninth, where c is
// 1, so nothing cancels there.
static const uniform float pow_reciprocals[16] = {
    1.3125f, 1.28125f, 1.21875f, 1.1875f, 1.125f, 1.09375f, 1.0625f, 1.03125f,
    1.0f, 0.9375f, 0.875f, 0.84375f, 0.796875f, 0.75f, 0.71875f, 0.6875f
};
// log2(1 / c): multiples of 2^-16, to which k can be added exactly, and the rests.
static const uniform float pow_logarithms[16] = {
    -0.392318726f, -0.357559204f, -0.285400391f, -0.247924805f, -0.169921875f, -0.12928772f, -0.0874633789f, -0.0443878174f,
    0.0f, 0.0931091309f, 0.192642212f, 0.245117188f, 0.327575684f, 0.415039062f, 0.47644043f, 0.54057312f
};
static const uniform float pow_logarithm_rests[16] = {
    1.30280716e-06f, 7.19948366e-06f, -1.82823726e-06f, -2.70875603e-06f, -3.12644238e-06f, 4.70278155e-06f,
    5.37655922e-07f, -6.30197565e-06f, 0.0f, 2.73532095e-07f, 2.86602835e-06f, -4.68966346e-06f, -1.02556521e-06f,
    -1.56322119e-06f, -2.38574444e-06f, -4.73875434e-06f
};

// log2(a 2^extra) for normal a > 0, and what its rounding lost.
template <typename F, typename I> static inline F pow_logarithm_float(F a, F extra, F &low) {
    // Unsigned: of negative numbers, whose power is another function's, the difference would overflow.
    I above = (I)(__bits(a) - 0x3F3C8000);
    I interval = above >> 19;
    F z = __float_of_bits(__bits(a) - (above & 0xFF800000));
    F f = __fma(__lookup((uniform float * uniform)pow_reciprocals, interval), z, -1.0f);
    F square = f * f;
    F p = __fma(square, __fma(square, -0.233172685f, __fma(f, 0.288861215f, -0.360691756f)), __fma(f, 0.480898291f, -0.721347511f));
    // The larger of base and f / ln 2 is base, or that is zero: the sum's rounding error is known.
    F base = ((F)(above >> 23) + extra) + __lookup((uniform float * uniform)pow_logarithms, interval);
    F most = __fma(f, 1.44269502f, base);
    F curve = __fma(square, p, __fma(f, 1.92596303e-8f, __lookup((uniform float * uniform)pow_logarithm_rests, interval)));
    F high = most + curve;
    low = __fma(f, 1.44269502f, base - most) + (curve - (high - most));
    return high;
}

// (a 2^extra)^b for normal a > 0.
template <typename F, typename I> static inline F pow_positive_float(F a, F b, F extra) {
    F log_low;
    F log_high = pow_logarithm_float<F, I>(a, extra, log_low);
    F exponent = b * log_high;
    F exponent_low = __fma(b, log_low, __fma(b, log_high, -exponent));
    F bounded = __max((F)-160.0f, __min((F)160.0f, exponent));
    exponent_low = bounded == exponent ? exponent_low : (F)0.0f;
    F shifted = bounded + 12582912.0f;
    F r = (bounded - (shifted - 12582912.0f)) + exponent_low;
    F power = __scale_sum((F)1.0f, exp2_polynomial_float<F>(r), shifted);
    return a == 1.0f && extra == 0.0f ? (F)1.0f : power;
}

// Whatever is not above zero, normal and finite, given the power of |a| where that is a number and not zero.
template <typename F> static inline F pow_special_cases(F power, F a, F b) {
    F size = abs(a), infinity = __float_of_bits(0x7F800000);
    // Zero and infinity: only the sign of b decides; an infinite b: below one it goes one way, above one the other.
    power = size == 0.0f ? (b < 0.0f ? infinity : (F)0.0f) : power;
    power = size == infinity ? (b < 0.0f ? (F)0.0f : infinity) : power;
    power = abs(b) == infinity ? ((size < 1.0f) == (b < 0.0f) ? infinity : (F)0.0f) : power;
    power = size == 1.0f ? (F)1.0f : power;
    // A negative a: whole powers alone exist, odd ones are negative.
    F floor = __floor(b);
    F odd = floor - 2.0f * __floor(floor * 0.5f);
    F negated = odd == 1.0f && floor == b ? -power : power;
    power = __bits(a) >= 0x80000000 ? negated : power;
    power = a < 0.0f && size != infinity && floor != b ? __float_of_bits(0x7FC00000) : power;
    power = a != a || b != b ? a + b : power;
    return b == 0.0f ? (F)1.0f : power;
}

template <typename F, typename I> static noinline F pow_special_float(F a, F b) {
    F size = abs(a);
    F power = pow_positive_float<F, I>(size < 1.17549435e-38f ? (F)(I)(__bits(size) & 0x7FFFFF) : size, b,
        size < 1.17549435e-38f ? (F)-149.0f : (F)0.0f);
    return pow_special_cases<F>(power, a, b);
}

template <typename F, typename I, typename D> static inline F pow_float(F a, F b) {
    F power = pow_positive_float<F, I>(a, b, (F)0.0f);
    if (__bits(a) - 0x00800000 >= 0x7F000000)
        power = pow_special_float<F, I>(a, b);
    return power;
}

// One number at a time a jump costs less than what keeps the ends of the range right.
template <typename F, typename I> static noinline F pow_at_ends_float(F a, F b) {
    F power = pow_positive_float<F, I>(a, b, (F)0.0f);
    if (__bits(a) - 0x00800000 >= 0x7F000000)
        power = pow_special_float<F, I>(a, b);
    return power;
}

template <typename F, typename I, typename D> static inline F pow_of_one_float(F a, F b) {
    F log_low;
    F log_high = pow_logarithm_float<F, I>(a, (F)0.0f, log_low);
    F exponent = b * log_high;
    F exponent_low = __fma(b, log_low, __fma(b, log_high, -exponent));
    F shifted = exponent + 12582912.0f;
    F r = (exponent - (shifted - 12582912.0f)) + exponent_low;
    F power = times_power_float<F>(1.0f + exp2_polynomial_float<F>(r), shifted);
    if (__bits(a) - 0x00800000 >= 0x7F000000 || !(abs(exponent) < 125.0f))
        power = pow_at_ends_float<F, I>(a, b);
    return power;
}

BY_CONSTANT float pow(float a, float b) { return pow_float<float, int, double>(a, b); }
BY_CONSTANT uniform float pow(uniform float a, uniform float b) {
    return pow_of_one_float<uniform float, uniform int, uniform double>(a, b);
}
float16 pow(float16 a, float16 b) { return (float16)pow((float)a, (float)b); }
uniform float16 pow(uniform float16 a, uniform float16 b) {
    return (uniform float16)pow((uniform float)a, (uniform float)b);
}

// For double log(a 2^extra), for normal a > 0, and what its rounding lost, from rows of power_tables.ispc (Tang 1990): with a = 2^k z and
// r = z / c - 1 it is k ln 2 + log c + r - r^2 / 2 + r^3 P(r), of which all but the last is kept in double length.
template <typename D, typename U> static inline D pow_logarithm_double(D a, D extra, D &lost) {
    U moved = __bits(a) + 0x0009700000000000;
    D k = __float_of_bits((moved >> 52) + 0x4330000000000000) - 4503599627371519.0d + extra;
    D z = __float_of_bits((moved & 0xFFFFFFFFFFFFF) + 0x3FE6900000000000);
    U row = moved >> 43 & 508;
    D r = product_less_one<D>(z, pow_rows[row]);
    D base = __mad(k, 0.6931471805598903d, pow_rows[row + 1]);
    D rest = __mad(k, 5.497923018708371e-14d, pow_rows[row + 2]);
    D sum = base + r;
    D half = r * -0.5d;
    D square = half * r;
    D high = sum + square;
    D y = r * r;
    D p = __mad(y, __mad(y, __mad(r, 0.25001024604776206d, -0.2857256706380868d), __mad(r, 0.3333333332021128d,
        -0.39999999985418472d)), __mad(r, 0.5000000000000002d, -0.666666666666667d));
    D low = rest + (base - sum + r) + (sum - high + square) + __mad(r * square, p, product_error<D, U>(half, r, square));
    D log_high = high + low;
    lost = low - (log_high - high);
    return log_high;
}

// b log(a 2^extra), and what is missing there.
template <typename D, typename U> static inline D pow_exponent_double(D a, D b, D extra, D &low) {
    D log_low;
    D log_high = pow_logarithm_double<D, U>(a, extra, log_low);
    D exponent = b * log_high;
    low = __mad(b, log_low, product_error<D, U>(b, log_high, exponent));
    return exponent;
}

// As exp_reduced_double, of x + missing.
template <typename D> static inline D exp_reduced_sum_double(D x, D missing, D &r, D &low) {
    D shifted = __mad(x, 1.4426950408889634d, 6755399441055744.0d);
    D n = shifted - 6755399441055744.0d;
    D high = __mad(n, -0.6931471805596629565116018d, x);
    D rest = __mad(n, -2.8235290563031577103118e-13d, missing);
    r = high + rest;
    low = high - r + rest;
    return shifted;
}

// (a 2^extra)^b for normal a > 0.
template <typename D, typename U> static inline D pow_positive_double(D a, D b, D extra) {
    D missing, r, low;
    D exponent = pow_exponent_double<D, U>(a, b, extra, missing);
    D bounded = __min((D)711.0d, __max((D)-747.0d, exponent));
    missing = bounded == exponent && abs(missing) < 1.0d ? missing : (D)0.0d;
    D shifted = exp_reduced_sum_double<D>(bounded, missing, r, low);
    return scale_double<D>(exp_polynomial_double<D>(r, low), shifted);
}

// Whatever is not above zero, normal and finite, as for float.
template <typename D, typename U> static noinline D pow_special_double(D a, D b) {
    D size = abs(a), infinity = __float_of_bits(0x7FF0000000000000);
    D power = pow_positive_double<D, U>(size < 2.2250738585072014e-308d ? size * 18014398509481984.0d : size, b,
        size < 2.2250738585072014e-308d ? (D)-54.0d : (D)0.0d);
    power = size == 0.0d ? (b < 0.0d ? infinity : (D)0.0d) : power;
    power = size == infinity ? (b < 0.0d ? (D)0.0d : infinity) : power;
    power = abs(b) == infinity ? ((size < 1.0d) == (b < 0.0d) ? infinity : (D)0.0d) : power;
    power = size == 1.0d ? (D)1.0d : power;
    D whole = __floor(b);
    D odd = whole - 2.0d * __floor(whole * 0.5d);
    D negated = odd == 1.0d && whole == b ? -power : power;
    power = __bits(a) >= 0x8000000000000000 ? negated : power;
    power = a < 0.0d && size != infinity && whole != b ? __float_of_bits(0x7FF8000000000000) : power;
    power = a != a || b != b ? a + b : power;
    return b == 0.0d || a == 1.0d ? (D)1.0d : power;
}

// Powers that are normal for certain are scaled in one step.
template <typename D, typename U> static inline D pow_double(D a, D b) {
    D missing, r, low;
    D exponent = pow_exponent_double<D, U>(a, b, (D)0.0d, missing);
    D shifted = exp_reduced_sum_double<D>(exponent, missing, r, low);
    D power = times_power_double<D>(exp_polynomial_double<D>(r, low), shifted);
    // The rest of the product, too: that of the largest numbers may be NaN.
    if (!(a >= 2.2250738585072014e-308d && a < __float_of_bits(0x7FF0000000000000) && abs(exponent + missing) < 708.0d))
        power = pow_special_double<D, U>(a, b);
    return power;
}

BY_CONSTANT double pow(double a, double b) { return pow_double<double, uint64>(a, b); }
BY_CONSTANT uniform double pow(uniform double a, uniform double b) {
    return pow_double<uniform double, uniform uint64>(a, b);
}
