// pow.
//
// a^b = 2^(b log2 |a|). For float the logarithm and the power are computed in double: its 53 bits leave room for the
// seven that the product with b costs. D, L, I: double, int64, int32 at the rate of F.

// log2 of a positive double from float range: log2 m = s P(s^2) with s = (m - 1) / (m + 1), to 2^-43.
template <typename D, typename L> static inline D log2_for_power(D x) {
    L bits = (L)__bits(x);
    L k = (bits - 0x3FE6A09E667F3BCD) >> 52;
    D m = __float_of_bits(bits - (k << 52));
    D s = (m - 1.0d) / (m + 1.0d);
    D z = s * s;
    D p = 2.8853900817778501589d + z * (0.9617966941132127155d + z * (0.57707794235945908477d +
        z * (0.41220925678615497105d + z * (0.31990537392276171442d + z * 0.28290661659068110872d))));
    return (D)k + s * p;
}

// 2^x for |x| < 1000, to 2^-34.
template <typename D, typename L> static inline D exp2_for_power(D x) {
    D shifted = x + 6755399441055744.0d;
    D r = x - (shifted - 6755399441055744.0d);
    D p = 0.99999999995956175074d + r * (0.69314718055683241353d + r * (0.24022651213498092661d +
        r * (0.055504109063258666119d + r * (0.0096180256133180342494d + r * (0.0013333478473685415281d +
        r * (0.00015469729214118297093d + r * 0.000015303700711365693939d))))));
    L k = (L)__bits(shifted) - 0x4338000000000000;
    return p * __float_of_bits((k + 1023) << 52);
}

template <typename F, typename D, typename L> static inline F pow_float(F a, F b) {
    F size = abs(a);
    D exponent = (D)b * log2_for_power<D, L>((D)size);
    D bounded = __min((D)300.0d, __max((D)-300.0d, exponent));
    F power = (F)exp2_for_power<D, L>(bounded);
    // Zero and infinity: only the sign of b decides; an infinite b: below one it goes one way, above one the other.
    F infinity = __float_of_bits(0x7F800000);
    power = size == 0.0f ? (b < 0.0f ? infinity : (F)0.0f) : power;
    power = size == infinity ? (b < 0.0f ? (F)0.0f : infinity) : power;
    power = abs(b) == infinity ? ((size < 1.0f) == (b < 0.0f) ? infinity : (F)0.0f) : power;
    power = size == 1.0f ? (F)1.0f : power;
    // A negative a: whole powers alone exist, odd ones are negative.
    F whole = __floor(b);
    F odd = whole - 2.0f * __floor(whole * 0.5f);
    F negated = odd == 1.0f && whole == b ? -power : power;
    power = __bits(a) >= 0x80000000 ? negated : power;
    power = a < 0.0f && size != infinity && whole != b ? __float_of_bits(0x7FC00000) : power;
    power = a != a || b != b ? a + b : power;
    return a == 1.0f || b == 0.0f ? (F)1.0f : power;
}

float pow(float a, float b) { return pow_float<float, double, int64>(a, b); }
uniform float pow(uniform float a, uniform float b) {
    return pow_float<uniform float, uniform double, uniform int64>(a, b);
}
float16 pow(float16 a, float16 b) { return (float16)pow((float)a, (float)b); }
uniform float16 pow(uniform float16 a, uniform float16 b) {
    return (uniform float16)pow((uniform float)a, (uniform float)b);
}

// For double the logarithm is a sum of two doubles, good to 2^-66. Products of two doubles are split into halves of 26
// bits, so that their rounding error is known exactly (Dekker 1971).
template <typename D, typename U> static inline D product_error(D a, D b, D product) {
    D a_high = __float_of_bits(__bits(a) & ~(U)0x7FFFFFF), b_high = __float_of_bits(__bits(b) & ~(U)0x7FFFFFF);
    D a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

template <typename D, typename L, typename U> static inline D pow_double(D a, D b) {
    D size = abs(a);
    D scaled = size < 2.2250738585072014e-308d ? size * 18014398509481984.0d : size;
    L bits = (L)__bits(scaled);
    L k = (bits - 0x3FE6A09E667F3BCD) >> 52;
    D f = __float_of_bits(bits - (k << 52)) - 1.0d;
    D whole_log = (D)(size < 2.2250738585072014e-308d ? k - 54 : k);
    // s = f / (2 + f) and its rest.
    D below = 2.0d + f;
    D below_low = f - (below - 2.0d);
    D s = f / below;
    D product = s * below;
    D s_low = ((f - product) - product_error<D, U>(s, below, product) - s * below_low) / below;
    D z = s * s;
    // log2 m = 2/ln2 (s + s^3/3 + s^5 ...): the first two terms in double length.
    D cube = z * s;
    D cube_low = product_error<D, U>(s, s, z) * s + product_error<D, U>(z, s, cube) + 3.0d * z * s_low;
    D third = 0.96179669392597560491d * cube;
    D third_low = product_error<D, U>((D)0.96179669392597560491d, cube, third) + 0.96179669392597560491d * cube_low +
        5.0577616648125906755e-17d * cube;
    D linear = 2.8853900817779268147d * s;
    D linear_low = product_error<D, U>((D)2.8853900817779268147d, s, linear) + 2.8853900817779268147d * s_low +
        4.0710547481862066222e-17d * s;
    D p = 0.5770780163555857533946d + z * (0.4121985831098330305675d + z * (0.3205988986805162224822d +
        z * (0.2623080459312656690094d + z * (0.2219669246008199518589d + z * (0.1916758490521530130102d +
        z * 0.1863041217559341256924d)))));
    D tail = z * cube * p;
    D sum = whole_log + linear;
    D sum_low = linear - (sum - whole_log);
    D high = sum + third;
    D log_low = (third - (high - sum)) + sum_low + (third_low + linear_low + tail);
    D log_high = high + log_low;
    log_low = log_low - (log_high - high);
    // The exponent of two, again in double length.
    D exponent = b * log_high;
    D exponent_low = product_error<D, U>(b, log_high, exponent) + b * log_low;
    D bounded = __min((D)1100.0d, __max((D)-1100.0d, exponent));
    exponent_low = bounded == exponent && abs(exponent_low) < 1.0d ? exponent_low : (D)0.0d;
    D shifted = bounded + 6755399441055744.0d;
    D r = ((bounded - (shifted - 6755399441055744.0d)) + exponent_low) * 0.69314718055994530942d;
    D q = 0.1666666666666666745273d + r * (0.04166666666666666722804d + r * (0.008333333333330061832518d +
        r * (0.001388888888888655251695d + r * (0.0001984126986305361687787d + r * (0.00002480158731714449898401d +
        r * (2.755726845999706477171e-6d + r * (2.755728296954995270415e-7d + r * (2.510038549551031907655e-8d +
        r * 2.091123663026154448528e-9d))))))));
    D e = 1.0d + (r + r * r * (0.5d + r * q));
    L n = (L)__bits(shifted) - 0x4338000000000000;
    L half = n >> 1;
    D power = e * __float_of_bits((half + 1023) << 52) * __float_of_bits((n - half + 1023) << 52);
    // The special cases, as for float.
    D infinity = __float_of_bits(0x7FF0000000000000);
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
    return a == 1.0d || b == 0.0d ? (D)1.0d : power;
}

double pow(double a, double b) { return pow_double<double, int64, uint64>(a, b); }
uniform double pow(uniform double a, uniform double b) {
    return pow_double<uniform double, uniform int64, uniform uint64>(a, b);
}
