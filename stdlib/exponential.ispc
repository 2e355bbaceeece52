// exp, exp2, log, log2 and their relatives.
//
// Each algorithm is stated once, for both rates: F is the number's type, I the integer of its width and U the
// unsigned one, all at one rate. Float's polynomials are made by benchmarks/coefficients.py, double's are Chebyshev fits
// made with mpmath at 50 digits. __mad is fused where there is an instruction for it, and the errors stay within their bounds
// either way; __fma stands where a product has to be exact, and such functions have others in unfused/.

// e^r less 1 and less most for r = most + rest, |r| <= ln(2) / 2, in units of e^r.
template <typename F> static inline F exp_curve_float(F most, F rest) {
    F r = most + rest;
    F z = r * r;
    F p = __mad(z, __mad(z, 0.00138207339f, __mad(r, 0.00836867746f, 0.0416682661f)), __mad(r, 0.166665211f, 0.49999994f));
    return __mad(z, p, rest);
}

// e^x = 2^n e^r with n = round(x / ln 2), so |r| <= ln(2) / 2 (Cody and Waite 1980). With ln 2 split in two, n times
// either part counts fully: the first difference is exact. Returns e^r, from 0.7 to 1.5.
// Rounding to an integer is done by adding 1.5 * 2^23, below which there are no fractions: __scale_sum takes n so.
// Returns e^r - 1.
template <typename F> static inline F exp_reduced_float(F x, F &shifted) {
    shifted = __mad(x, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __mad(n, -0.693145752f, x);
    return most + exp_curve_float<F>(most, n * -1.42860677e-6f);
}

template <typename F> static inline F exp_float(F x) {
    F shifted;
    F e = exp_reduced_float<F>(__max((F)-104.0f, __min((F)90.0f, x)), shifted);
    return __scale_sum((F)1.0f, e, shifted);
}

// For --math-lib=fast: x - n ln 2, and that as good as its square needs it.
template <typename F> static inline F rest_of_ln2_float(F x, F n, F &near) {
    near = (x - n * 0.693145752f) - n * 1.42860677e-6f;
    return near;
}

// x 2^n, where both and the result are normal; n + 1.5 * 2^23 is given.
template <typename F> static inline F times_power_float(F x, F shifted) {
    return __float_of_bits(__bits(x) + (__bits(shifted) << 23));
}

// 2^r - 1 for |r| <= 1/2
template <typename F> static inline F exp2_polynomial_float(F r) {
    F z = r * r;
    F p = __mad(z, __mad(r, 0.000153289526f, 0.00133909809f), __mad(r, 0.00961850025f, 0.0555035956f));
    return __mad(r, 0.693147182f, z * __mad(r, p, 0.240226477f));
}

template <typename F> static inline F exp2_float(F x) {
    F bounded = __max((F)-151.0f, __min((F)129.0f, x));
    F shifted = bounded + 12582912.0f;
    return __scale_sum((F)1.0f, exp2_polynomial_float<F>(bounded - (shifted - 12582912.0f)), shifted);
}

// One number at a time a jump costs less than what keeps the ends of the range right.
template <typename F> static noinline F exp_at_ends_float(F x) { return exp_float<F>(x); }

template <typename F> static inline F exp_of_one_float(F x) {
    F shifted;
    F power = times_power_float<F>(1.0f + exp_reduced_float<F>(x, shifted), shifted);
    if (!(abs(x) < 87.0f))
        power = exp_at_ends_float<F>(x);
    return power;
}

template <typename F> static noinline F exp2_at_ends_float(F x) { return exp2_float<F>(x); }

template <typename F> static inline F exp2_of_one_float(F x) {
    F shifted = x + 12582912.0f;
    F power = times_power_float<F>(1.0f + exp2_polynomial_float<F>(x - (shifted - 12582912.0f)), shifted);
    if (!(abs(x) < 125.0f))
        power = exp2_at_ends_float<F>(x);
    return power;
}

// For double: e^(r + low) less 1 + r for |r| <= ln(2) / 2, then e^(r + low).
template <typename F> static inline F exp_curve_double(F r, F low) {
    F z = r * r;
    F p = __mad(z, __mad(z, __mad(z, __mad(z, __mad(r, 2.091123663026154448528e-9d, 2.510038549551031907655e-8d), __mad(r,
        2.755728296954995270415e-7d, 2.755726845999706477171e-6d)), __mad(r, 0.00002480158731714449898401d,
        0.0001984126986305361687787d)), __mad(r, 0.001388888888888655251695d, 0.008333333333330061832518d)), __mad(r,
        0.04166666666666666722804d, 0.1666666666666666745273d));
    return __mad(z, __mad(r, p, 0.5d), low);
}

template <typename F> static inline F exp_polynomial_double(F r, F low) { return 1.0d + (r + exp_curve_double<F>(r, low)); }

// x 2^k in two steps, for results below the normal range and at its end; k as the low bits of k + 1.5 * 2^52. Both factors'
// exponents are made positive, so that halving needs no sign.
template <typename F> static inline F scale_double(F x, F shifted) {
    // With 2046 in place of 1.5 * 2^52; modulo 2^64.
    return x * __float_of_bits((__bits(shifted) + 0xBCC80000000007FE >> 1) << 52) *
        __float_of_bits((__bits(shifted) + 0xBCC80000000007FE - (__bits(shifted) + 0xBCC80000000007FE >> 1)) << 52);
}

// x = n ln 2 + r + low, and n + 1.5 * 2^52. ln 2 is split such that n times the upper part is exact.
template <typename F> static inline F exp_reduced_double(F x, F &r, F &low) {
    F shifted = __mad(x, 1.4426950408889634d, 6755399441055744.0d);
    F n = shifted - 6755399441055744.0d;
    F high = __mad(n, -0.6931471805596629565116018d, x);
    r = __mad(n, -2.8235290563031577103118e-13d, high);
    low = __mad(n, -2.8235290563031577103118e-13d, high - r);
    return shifted;
}

// x 2^k where both and the result are normal.
template <typename F> static inline F times_power_double(F x, F shifted) { return __float_of_bits(__bits(x) + (__bits(shifted) << 52)); }

// Where e^x may not be normal, and for NaN.
template <typename F> static noinline F exp_at_ends_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(__min((F)711.0d, __max((F)-747.0d, x)), r, low);
    return scale_double<F>(exp_polynomial_double<F>(r, low), shifted);
}

template <typename F> static inline F exp_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(x, r, low);
    F power = times_power_double<F>(exp_polynomial_double<F>(r, low), shifted);
    if (!(abs(x) < 708.0d))
        power = exp_at_ends_double<F>(x);
    return power;
}

// 2^r for |r| <= 1/2, by r ln 2 as the sum of an exact product of 26 bits each and a rest.
template <typename F, typename U> static inline F exp2_polynomial_double(F r) {
    F z = r * r;
    F p = z * (z * (z * (z * (z * 2.572487572555175e-11d + (r * 4.4549649231152814e-10d + 7.054900072995981e-09d)) +
        (r * 1.0178062424216474e-07d + 1.32154868026738e-06d)) + (r * 1.5252733829871612e-05d + 0.00015403530393376096d)) +
        (r * 0.0013333558146416914d + 0.009618129107628479d)) + (r * 0.0555041086648216d + 0.24022650695910072d);
    F upper = __float_of_bits(__bits(r) & 0xFFFFFFFFF8000000);
    F rest = (r - upper) * 0.693147182464599609375d + r * -1.904654299957768e-09d;
    return 1.0d + (upper * 0.693147182464599609375d + (z * p + rest));
}

// 2^x = 2^n 2^r with n = round(x).
template <typename F, typename U> static noinline F exp2_at_ends_double(F x) {
    F bounded = __min((F)1025.0d, __max((F)-1080.0d, x));
    F shifted = bounded + 6755399441055744.0d;
    return scale_double<F>(exp2_polynomial_double<F, U>(bounded - (shifted - 6755399441055744.0d)), shifted);
}

template <typename F, typename U> static inline F exp2_double(F x) {
    F shifted = x + 6755399441055744.0d;
    F power = times_power_double<F>(exp2_polynomial_double<F, U>(x - (shifted - 6755399441055744.0d)), shifted);
    if (!(abs(x) < 1021.0d))
        power = exp2_at_ends_double<F, U>(x);
    return power;
}

float exp(float x) { return exp_float<float>(x); }
uniform float exp(uniform float x) { return exp_of_one_float<uniform float>(x); }
double exp(double x) { return exp_double<double>(x); }
uniform double exp(uniform double x) { return exp_double<uniform double>(x); }
float exp2(float x) { return exp2_float<float>(x); }
uniform float exp2(uniform float x) { return exp2_of_one_float<uniform float>(x); }
double exp2(double x) { return exp2_double<double, uint64>(x); }
uniform double exp2(uniform double x) { return exp2_double<uniform double, uniform uint64>(x); }
float16 exp2(float16 x) { return (float16)exp2((float)x); }
uniform float16 exp2(uniform float16 x) { return (uniform float16)exp2((uniform float)x); }
float16 exp(float16 x) { return (float16)exp((float)x); }
uniform float16 exp(uniform float16 x) { return (uniform float16)exp((uniform float)x); }

// x = m 2^k with m from 3/4 to 3/2.
template <typename F, typename I> static inline F significand_and_exponent(F x, F &k) {
    F m;
    if (__all_plain(x)) {
        I bits = (I)__bits(x);
        I above = bits - 0x3F400000;
        k = (F)(above >> 23);
        m = __float_of_bits(bits - (above & 0xFF800000));
    } else {
        k = __exponent(x);
        m = __significand(x);
    }
    return m;
}

// log x = k ln 2 + log(1 + f), with 1 + f from 3/4 to 3/2, where the exponents of zero and infinity are what their
// logarithms are. log(1 + f) = f + f^2 P(f). k ln 2 comes last, in a fused multiply-add: so what cancels is exact.
// The P:
template <typename F> static inline F log_series_float(F f) {
    F z = f * f;
    F y = z * z;
    F low = __mad(z, __mad(f, -0.166493118f, 0.200007305f), __mad(f, -0.250004411f, 0.333333313f));
    F high = __mad(z, __mad(f, -0.0974718258f, 0.119999751f), __mad(f, -0.127270609f, 0.142404571f));
    return __mad(f, __mad(y, __mad(y, 0.0417119488f, high), low), -0.49999997f);
}

template <typename F, typename I> static inline F log_float(F x) {
    F k;
    F f = significand_and_exponent<F, I>(x, k) - 1.0f;
    return __fma(k, 0.693147182f, __fma(f * f, log_series_float<F>(f), f));
}

// -k ln 2 + log(1 + f)
template <typename F> static inline F log_sum_float(F k, F f) { return __fma(k, -0.693147182f, __fma(f * f, log_series_float<F>(f), f)); }

// log2 x = k + (f / ln 2 + f^2 P(f)) for normal x > 0. 1 + f runs from sqrt(1/2) to sqrt(2): where k is not zero, the sum is twice as
// large as what is added, at least, whose rounding then counts a quarter as much.
template <typename F, typename I> static inline F log2_of_normal_float(F x, F extra) {
    // Unsigned: of other numbers, whose logarithm is another function's, the difference would overflow.
    I above = (I)(__bits(x) - 0x3F3504F3);
    F f = __float_of_bits(__bits(x) - (above & 0xFF800000)) - 1.0f;
    F z = f * f;
    F y = z * z;
    F low = __fma(z, __fma(f, -0.239567354f, 0.288571417f), __fma(f, -0.36069867f, 0.480898201f));
    F high = __fma(z, __fma(f, -0.110256001f, 0.187088177f), __fma(f, -0.191390812f, 0.204486579f));
    F p = __fma(f, __fma(y, high, low), -0.721347332f);
    return ((F)(above >> 23) + extra) + __fma(f, 1.44269502f, __fma(z, p, f * 1.92596303e-8f));
}

// Subnormal numbers, zero, infinity, NaN and what is below zero.
template <typename F, typename I> static noinline F log2_special_float(F x) {
    F result = log2_of_normal_float<F, I>(x * 8388608.0f, (F)-23.0f);
    result = x == 0.0f ? __float_of_bits(0xFF800000) : result;
    result = x < 0.0f ? __float_of_bits(0x7FC00000) : result;
    return x < __float_of_bits(0x7F800000) ? result : x;
}

template <typename F, typename I, typename D> static inline F log2_float(F x) {
    F result = log2_of_normal_float<F, I>(x, (F)0.0f);
    if (__bits(x) - 0x00800000 >= 0x7F000000)
        result = log2_special_float<F, I>(x);
    return result;
}

// For double: m in [sqrt(1/2), sqrt(2)). With f = m - 1 and s = f / (2 + f): log m = 2 atanh s = 2 s + s R(s^2), arranged
// as f - (f^2/2 - s (f^2/2 + R)), where the large terms are exact. The product with s:
template <typename F> static inline F log_product_double(F f, F half_square) {
    F s = f / (2.0d + f);
    F z = s * s;
    F y = z * z;
    F p = __mad(y, __mad(y, __mad(y, 0.1461780715341732481495d, __mad(z, 0.1533161172205500789727d, 0.1818289243253687120024d)),
        __mad(z, 0.2222221108937949621425d, 0.2857142862625383760626d)), __mad(z, 0.3999999999989889051352d,
        0.6666666666666669707651d));
    return s * __mad(z, p, half_square);
}

// log((1 + f) 2^power) + rest:
template <typename F> static inline F log_series_double(F f, F power, F rest) {
    F half_square = 0.5d * f * f;
    F low = __mad(power, 2.8235290563031577103118e-13d, rest);
    return __mad(power, 0.6931471805596629565116018d, f - (half_square - (log_product_double<F>(f, half_square) + low)));
}

// 1 + f and exponent of what is above zero, normal and finite. The exponent's field alone, moved so that 1 + f begins at
// sqrt(1/2), is the low part of a number near 2^52.
template <typename F> static inline F log_split_double(F x, F &power) {
    power = __float_of_bits((__bits(x) + 0x00095F619980C433 >> 52) + 0x4330000000000000) - 4503599627371519.0d;
    return __float_of_bits((__bits(x) + 0x00095F619980C433 & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD) - 1.0d;
}

// The same for subnormal numbers too.
template <typename F> static inline F log_reduced_double(F x, F &power) {
    F f = log_split_double<F>(x < 2.2250738585072014e-308d ? x * 18014398509481984.0d : x, power);
    power -= x < 2.2250738585072014e-308d ? (F)54.0d : (F)0.0d;
    return f;
}

// The order matters: NaN and infinity stay, zero is a pole, below it there is no logarithm.
template <typename F> static inline F log_special_double(F x, F result) {
    result = x < __float_of_bits(0x7FF0000000000000) ? result : x;
    result = x == 0.0d ? __float_of_bits(0xFFF0000000000000) : result;
    return x < 0.0d ? __float_of_bits(0x7FF8000000000000) : result;
}

template <typename F> static inline F log_double(F x) {
    F power, result;
    if (__all_plain(x)) {
        F f = log_split_double<F>(x, power);
        result = log_series_double<F>(f, power, (F)0.0d);
    } else {
        F f = log_reduced_double<F>(x, power);
        result = log_special_double<F>(x, log_series_double<F>(f, power, (F)0.0d));
    }
    return result;
}

// With s = f / (2 + f), log2(1 + f) = 2 / ln 2 atanh s = s (2 / ln 2 + s^2 Q(s^2)). All but the first term, with what that and the quotient
// lost, which is so small that it may be divided by 2:
template <typename F> static inline F log2_curve_double(F s, F f, F low) {
    F z = s * s;
    F y = z * z;
    F high = __mad(y, 0.21346506389358771d, __mad(z, 0.22093453832871857d, 0.2623334030634821d));
    F p = __mad(y, __mad(z, 0.32059855630299694d, 0.4121985855831199d), __mad(z, 0.5770780163471108d, 0.9617966939259854d));
    F rest = __mad(ratio_rest_double<F>(s, f), 1.4426950408889634d, low);
    return __mad(s * z, __mad(y * y, high, p), rest);
}

// What is added first is the larger, or zero, so what the sum loses is known.
template <typename F> static inline F log2_sum_double(F f, F power) {
    F s = f / (2.0d + f);
    F curve = log2_curve_double<F>(s, f, s * 4.0710547481862066e-17d);
    F sum = __fma(s, 2.8853900817779268d, power);
    return sum + (curve + __fma(s, 2.8853900817779268d, power - sum));
}

template <typename F> static inline F log2_double(F x) {
    F power, result;
    if (__all_plain(x)) {
        F f = log_split_double<F>(x, power);
        result = log2_sum_double<F>(f, power);
    } else {
        F f = log_reduced_double<F>(x, power);
        result = log_special_double<F>(x, log2_sum_double<F>(f, power));
    }
    return result;
}

float log(float x) { return log_float<float, int>(x); }
uniform float log(uniform float x) { return log_float<uniform float, uniform int>(x); }
double log(double x) { return log_double<double>(x); }
uniform double log(uniform double x) { return log_double<uniform double>(x); }
float log2(float x) { return log2_float<float, int, double>(x); }
uniform float log2(uniform float x) { return log2_float<uniform float, uniform int, uniform double>(x); }
double log2(double x) { return log2_double<double>(x); }
uniform double log2(uniform double x) { return log2_double<uniform double>(x); }
float16 log2(float16 x) { return (float16)log2((float)x); }
uniform float16 log2(uniform float16 x) { return (uniform float16)log2((uniform float)x); }
float16 log(float16 x) { return (float16)log((float)x); }
uniform float16 log(uniform float16 x) { return (uniform float16)log((uniform float)x); }

// e^r - 1 - most for r = most + rest, |r| <= ln(2) / 2
template <typename F> static inline F expm1_curve_float(F most, F rest) {
    F r = most + rest;
    F z = r * r;
    F p = __mad(z, __mad(z, __mad(r, 0.000197625719f, 0.00139323308f), __mad(r, 0.00833354518f, 0.0416664928f)),
        __mad(r, 0.166666657f, 0.5f));
    return __mad(z, p, rest);
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1): for n = 0 nothing is lost near zero. Halved, for results at the end of the range.
template <typename F> static inline F expm1_float(F x) {
    F bounded = __max((F)-25.0f, __min((F)89.0f, x));
    F shifted = __mad(bounded, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __mad(n, -0.693145752f, bounded);
    F curve = expm1_curve_float<F>(most, n * -1.42860677e-6f);
    F half = times_power_float<F>((F)0.5f, shifted);
    // The large terms in double length: 2^n - 1 is 0 or the larger.
    F whole = half - 0.5f;
    F sum = __mad(most, half, whole);
    F lost = __mad(most, half, whole - sum) + (half - whole - 0.5f);
    F result = 2.0f * (sum + __mad(curve, half, lost));
    // Half of a subnormal number may be none; and -0 stays.
    return abs(x) < 1.0e-30f ? x : result;
}

// As for float, but what the rounding of 2^n - 1 lost is left out: it is half a unit, for n = 54, where little else is lost.
template <typename F> static inline F expm1_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(__min((F)709.9d, __max((F)-50.0d, x)), r, low);
    F half = times_power_double<F>((F)0.5d, shifted);
    F whole = half - 0.5d;
    F sum = __mad(r, half, whole);
    F lost = __mad(r, half, whole - sum);
    F result = 2.0d * (sum + __mad(exp_curve_double<F>(r, low), half, lost));
    return abs(x) < 1.0e-300d ? x : result;
}

float expm1(float x) { return expm1_float<float>(x); }
uniform float expm1(uniform float x) { return expm1_float<uniform float>(x); }
double expm1(double x) { return expm1_double<double>(x); }
uniform double expm1(uniform double x) { return expm1_double<uniform double>(x); }
float16 expm1(float16 x) { return (float16)expm1((float)x); }
uniform float16 expm1(uniform float16 x) { return (uniform float16)expm1((uniform float)x); }

// Where 2^-k is not normal, x is not above -1, or NaN.
template <typename F, typename I> static noinline F log1p_at_ends_float(F x) { return log_float<F, I>(1.0f + x); }

// log(1 + x) = k ln 2 + log(1 + f) with k of 1 + x, rounded: f = 2^-k x - (1 - 2^-k), where the product is exact, and so is the
// difference, as neither is more than twice the other, or k is zero, or so large that it does not matter. Therefore k is zero for
// both 3/4 and 3/2.
// With the sign of k turned k ln 2 is -0 for k = 0, such that -0 stays.
template <typename F, typename I> static inline F log1p_float(F x) {
    I below = 0x3FC00000 + ((I)__bits(x) >> 31) - (I)__bits(1.0f + x);
    F power = __float_of_bits((below & 0xFF800000) + 0x3F800000);
    F f = __mad(x, power, -(1.0f - power));
    F result = log_sum_float<F>((F)(below >> 23), f);
    if (!(x > -1.0f && x < 1.0e38f))
        result = log1p_at_ends_float<F, I>(x);
    return result;
}

template <typename F> static noinline F log1p_at_ends_double(F x) { return log_double<F>(1.0d + x); }

// Here the difference may lose its last bit: where it does, what is taken off is the larger, so the loss is known.
template <typename F, typename U> static inline F log1p_double(F x) {
    U field = __bits(1.0d + x) + 0x00095F619980C433 & 0xFFF0000000000000;
    F k = __float_of_bits((field >> 52) + 0x4330000000000000) - 4503599627371519.0d;
    F power = __float_of_bits(0x7FE0000000000000 - field);
    F scaled = x * power, missing = 1.0d - power;
    F f = scaled - missing;
    F result = log_series_double<F>(f, k, scaled - (f + missing));
    if (!(x > -1.0d && x < 4.0e307d))
        result = log1p_at_ends_double<F>(x);
    return __copysign(result, x);
}

float log1p(float x) { return log1p_float<float, int>(x); }
uniform float log1p(uniform float x) { return log1p_float<uniform float, uniform int>(x); }
double log1p(double x) { return log1p_double<double, uint64>(x); }
uniform double log1p(uniform double x) { return log1p_double<uniform double, uniform uint64>(x); }
float16 log1p(float16 x) { return (float16)log1p((float)x); }
uniform float16 log1p(uniform float16 x) { return (uniform float16)log1p((uniform float)x); }
