// pow.
//
// a^b = 2^(b log2 a). The product with b costs up to seven bits, so the logarithm of float is kept as a sum of two floats,
// good to 2^-32, and that of double as a sum of two doubles, good to 2^-66.

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

float pow(float a, float b) { return pow_float<float, int, double>(a, b); }
uniform float pow(uniform float a, uniform float b) {
    return pow_of_one_float<uniform float, uniform int, uniform double>(a, b);
}
float16 pow(float16 a, float16 b) { return (float16)pow((float)a, (float)b); }
uniform float16 pow(uniform float16 a, uniform float16 b) {
    return (uniform float16)pow((uniform float)a, (uniform float)b);
}

// For double log2 m = 2/ln2 (s + s^3/3 + s^5 ...) with s = (m - 1) / (m + 1), the first two terms in double length.
// That of a 2^extra for normal a > 0, and what its rounding lost:
template <typename D, typename U> static inline D pow_logarithm_double(D a, D extra, D &lost) {
    D whole_log;
    D f = log_split_double<D>(a, whole_log);
    whole_log += extra;
    // s = f / (2 + f) and its rest.
    D below = 2.0d + f;
    D below_low = f - (below - 2.0d);
    D inverse = 1.0d / below;
    D s = f * inverse;
    D product = s * below;
    D s_low = ((f - product) - product_error<D, U>(s, below, product) - s * below_low) * inverse;
    D z = s * s;
    // log2 m = 2/ln2 (s + s^3/3 + s^5 ...): the first two terms in double length.
    D cube = z * s;
    D cube_low = __mad(product_error<D, U>(s, s, z), s, product_error<D, U>(z, s, cube)) + 3.0d * z * s_low;
    D third = 0.96179669392597560491d * cube;
    D third_low = product_error<D, U>((D)0.96179669392597560491d, cube, third) + 0.96179669392597560491d * cube_low +
        5.0577616648125906755e-17d * cube;
    D linear = 2.8853900817779268147d * s;
    D linear_low = product_error<D, U>((D)2.8853900817779268147d, s, linear) + 2.8853900817779268147d * s_low +
        4.0710547481862066222e-17d * s;
    D y = z * z;
    D p = __mad(y, __mad(y, __mad(y, 0.1863041217559341256924d, __mad(z, 0.1916758490521530130102d, 0.2219669246008199518589d)),
        __mad(z, 0.2623080459312656690094d, 0.3205988986805162224822d)), __mad(z, 0.4121985831098330305675d,
        0.5770780163555857533946d));
    D tail = z * cube * p;
    D sum = whole_log + linear;
    D sum_low = linear - (sum - whole_log);
    D high = sum + third;
    D log_low = (third - (high - sum)) + sum_low + (third_low + linear_low + tail);
    D log_high = high + log_low;
    lost = log_low - (log_high - high);
    return log_high;
}

// (a 2^extra)^b for normal a > 0.
template <typename D, typename U> static inline D pow_positive_double(D a, D b, D extra) {
    D log_low;
    D log_high = pow_logarithm_double<D, U>(a, extra, log_low);
    // The exponent of two, again in double length.
    D exponent = b * log_high;
    D exponent_low = product_error<D, U>(b, log_high, exponent) + b * log_low;
    D bounded = __min((D)1100.0d, __max((D)-1100.0d, exponent));
    exponent_low = bounded == exponent && abs(exponent_low) < 1.0d ? exponent_low : (D)0.0d;
    D shifted = bounded + 6755399441055744.0d;
    D r = ((bounded - (shifted - 6755399441055744.0d)) + exponent_low) * 0.69314718055994530942d;
    return scale_double<D>(1.0d + (r + exp_curve_double<D>(r, (D)0.0d)), shifted);
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
    D log_low;
    D log_high = pow_logarithm_double<D, U>(a, (D)0.0d, log_low);
    D exponent = b * log_high;
    D exponent_low = product_error<D, U>(b, log_high, exponent) + b * log_low;
    D shifted = exponent + 6755399441055744.0d;
    D r = ((exponent - (shifted - 6755399441055744.0d)) + exponent_low) * 0.69314718055994530942d;
    D power = times_power_double<D>(1.0d + (r + exp_curve_double<D>(r, (D)0.0d)), shifted);
    // The rest of the product, too: that of the largest numbers may be NaN.
    if (!(a >= 2.2250738585072014e-308d && a < __float_of_bits(0x7FF0000000000000) && abs(exponent + exponent_low) < 1020.0d))
        power = pow_special_double<D, U>(a, b);
    return power;
}

double pow(double a, double b) { return pow_double<double, uint64>(a, b); }
uniform double pow(uniform double a, uniform double b) {
    return pow_double<uniform double, uniform uint64>(a, b);
}
