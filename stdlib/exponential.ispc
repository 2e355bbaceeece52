// exp, log and their relatives.
//
// Each algorithm is stated once, for both rates: F is the number's type, I the integer of its width and U the
// unsigned one, all at one rate. Coefficients are Chebyshev fits made with mpmath at 50 digits.
//
// Rounding to an integer is done by adding 1.5 * 2^23 (2^52 for double): the sum's low bits are then the integer,
// which also holds for what a conversion would leave undefined, NaN and infinity.

// e^x = 2^n e^r with n = round(x / ln 2), so |r| <= ln(2) / 2 (Cody and Waite 1980). ln 2 is split in two, such that
// n times the upper part is exact. 2^n is applied in two steps, for results below the normal range and at its end.
// What others need too: e^(x + low) 2^extra.
template <typename F, typename I> static inline F exp_scaled_float(F x, F low, I extra) {
    F bounded = __min((F)90.0f, __max((F)-105.0f, x));
    F shifted = bounded * 1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    F r = (bounded - n * 0.693145751953125f) - (n * 1.42860676533e-6f - low);
    F p = 0.5f + r * (0.166665763056f + r * (0.0416665537626f + r * (0.00836329275303f + r * 0.00139263256181f)));
    F e = 1.0f + (r + r * r * p);
    I k = (I)__bits(shifted) - 0x4B400000 + extra;
    I half = k >> 1;
    return e * __float_of_bits((half + 127) << 23) * __float_of_bits((k - half + 127) << 23);
}

template <typename F, typename I> static inline F exp_scaled_double(F x, F rest, I extra) {
    F bounded = __min((F)711.0d, __max((F)-747.0d, x));
    F shifted = bounded * 1.4426950408889634d + 6755399441055744.0d;
    F n = shifted - 6755399441055744.0d;
    F high = bounded - n * 0.6931471805596629565116018d, low = n * 2.8235290563031577103118e-13d - rest;
    F r = high - low;
    F p = 0.1666666666666666745273d + r * (0.04166666666666666722804d + r * (0.008333333333330061832518d +
        r * (0.001388888888888655251695d + r * (0.0001984126986305361687787d + r * (0.00002480158731714449898401d +
        r * (2.755726845999706477171e-6d + r * (2.755728296954995270415e-7d + r * (2.510038549551031907655e-8d +
        r * 2.091123663026154448528e-9d))))))));
    F square = r * r;
    F e = 1.0d + (r + (((high - r) - low) + square * (0.5d + r * p)));
    I k = (I)__bits(shifted) - 0x4338000000000000 + extra;
    I half = k >> 1;
    return e * __float_of_bits((half + 1023) << 52) * __float_of_bits((k - half + 1023) << 52);
}

template <typename F, typename I> static inline F exp_float(F x) { return exp_scaled_float<F, I>(x, (F)0.0f, (I)0); }
template <typename F, typename I> static inline F exp_double(F x) { return exp_scaled_double<F, I>(x, (F)0.0d, (I)0); }

float exp(float x) { return exp_float<float, int>(x); }
uniform float exp(uniform float x) { return exp_float<uniform float, uniform int>(x); }
double exp(double x) { return exp_double<double, int64>(x); }
uniform double exp(uniform double x) { return exp_double<uniform double, uniform int64>(x); }
float16 exp(float16 x) { return (float16)exp((float)x); }
uniform float16 exp(uniform float16 x) { return (uniform float16)exp((uniform float)x); }

// log x = k ln 2 + log m, m in [sqrt(1/2), sqrt(2)). With f = m - 1 and s = f / (2 + f):
// log m = 2 atanh s = 2 s + s R(s^2), arranged as f - (f^2/2 - s (f^2/2 + R)), where the large terms are exact.
// log((1 + f) 2^power) + rest
template <typename F> static inline F log_series_float(F f, F power, F rest) {
    F s = f / (2.0f + f);
    F z = s * s;
    F r = z * (0.66666666554f + z * (0.400001222118f + z * (0.285507786332f + z * 0.233316144718f)));
    F half_square = 0.5f * f * f;
    F low = power * 1.42860676533e-6f + rest;
    return power * 0.693145751953125f - ((half_square - (s * (half_square + r) + low)) - f);
}

template <typename F> static inline F log_series_double(F f, F power, F rest) {
    F s = f / (2.0d + f);
    F z = s * s;
    F r = z * (0.6666666666666669707651d + z * (0.3999999999989889051352d + z * (0.2857142862625383760626d +
        z * (0.2222221108937949621425d + z * (0.1818289243253687120024d + z * (0.1533161172205500789727d +
        z * 0.1461780715341732481495d))))));
    F half_square = 0.5d * f * f;
    F low = power * 2.8235290563031577103118e-13d + rest;
    return power * 0.6931471805596629565116018d - ((half_square - (s * (half_square + r) + low)) - f);
}

template <typename F, typename I> static inline F log_float(F x) {
    F scaled = x < 1.17549435e-38f ? x * 33554432.0f : x;
    I bits = (I)__bits(scaled);
    I k = (bits - 0x3F3504F3) >> 23;
    F f = __float_of_bits(bits - (k << 23)) - 1.0f;
    F result = log_series_float<F>(f, (F)(x < 1.17549435e-38f ? k - 25 : k), (F)0.0f);
    // The order matters: NaN and infinity stay, zero is a pole, below it there is no logarithm.
    result = x < __float_of_bits(0x7F800000) ? result : x;
    result = x == 0.0f ? __float_of_bits(0xFF800000) : result;
    return x < 0.0f ? __float_of_bits(0x7FC00000) : result;
}

template <typename F, typename I> static inline F log_double(F x) {
    F scaled = x < 2.2250738585072014e-308d ? x * 18014398509481984.0d : x;
    I bits = (I)__bits(scaled);
    I k = (bits - 0x3FE6A09E667F3BCD) >> 52;
    F f = __float_of_bits(bits - (k << 52)) - 1.0d;
    F result = log_series_double<F>(f, (F)(x < 2.2250738585072014e-308d ? k - 54 : k), (F)0.0d);
    result = x < __float_of_bits(0x7FF0000000000000) ? result : x;
    result = x == 0.0d ? __float_of_bits(0xFFF0000000000000) : result;
    return x < 0.0d ? __float_of_bits(0x7FF8000000000000) : result;
}

float log(float x) { return log_float<float, int>(x); }
uniform float log(uniform float x) { return log_float<uniform float, uniform int>(x); }
double log(double x) { return log_double<double, int64>(x); }
uniform double log(uniform double x) { return log_double<uniform double, uniform int64>(x); }
float16 log(float16 x) { return (float16)log((float)x); }
uniform float16 log(uniform float16 x) { return (uniform float16)log((uniform float)x); }

// e^x - 1 = 2^n (p + (1 - 2^-n)) with p = e^r - 1: for n = 0 nothing is lost near zero.
template <typename F, typename I> static inline F expm1_float(F x) {
    F bounded = __min((F)90.0f, __max((F)-25.0f, x));
    F shifted = bounded * 1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    F r = (bounded - n * 0.693145751953125f) - n * 1.42860676533e-6f;
    F p = r + r * r * (0.5f + r * (0.166666666667f + r * (0.0416665537626f + r * (0.00833332079225f +
        r * (0.00139263256181f + r * 0.000198828560721f)))));
    I k = (I)__bits(shifted) - 0x4B400000;
    I half = k >> 1;
    F sum = p + (1.0f - __float_of_bits((127 - __min(k, (I)100)) << 23));
    F result = sum * __float_of_bits((half + 127) << 23) * __float_of_bits((k - half + 127) << 23);
    return x == 0.0f ? x : result;
}

template <typename F, typename I> static inline F expm1_double(F x) {
    F bounded = __min((F)711.0d, __max((F)-50.0d, x));
    F shifted = bounded * 1.4426950408889634d + 6755399441055744.0d;
    F n = shifted - 6755399441055744.0d;
    F high = bounded - n * 0.6931471805596629565116018d, low = n * 2.8235290563031577103118e-13d;
    F r = high - low;
    F p = 0.1666666666666666666667d + r * (0.04166666666666666975462d + r * (0.008333333333333333539164d +
        r * (0.001388888888888374830461d + r * (0.000198412698412664147585d + r * (0.00002480158732554774121629d +
        r * (0.000002755731923995709838077d + r * (2.755727364311029532782e-7d + r * (2.505207800232945598466e-8d +
        r * (2.091468696808687723173e-9d + r * 1.608432788395260205215e-10d)))))))));
    F e = r + (((high - r) - low) + r * r * (0.5d + r * p));
    I k = (I)__bits(shifted) - 0x4338000000000000;
    I half = k >> 1;
    F sum = e + (1.0d - __float_of_bits((1023 - __min(k, (I)1000)) << 52));
    F result = sum * __float_of_bits((half + 1023) << 52) * __float_of_bits((k - half + 1023) << 52);
    return x == 0.0d ? x : result;
}

float expm1(float x) { return expm1_float<float, int>(x); }
uniform float expm1(uniform float x) { return expm1_float<uniform float, uniform int>(x); }
double expm1(double x) { return expm1_double<double, int64>(x); }
uniform double expm1(uniform double x) { return expm1_double<uniform double, uniform int64>(x); }
float16 expm1(float16 x) { return (float16)expm1((float)x); }
uniform float16 expm1(uniform float16 x) { return (uniform float16)expm1((uniform float)x); }

// log(1 + x): with u = 1 + x rounded, log u plus what the rounding lost over u. Near zero x itself is the f of log.
template <typename F, typename I> static inline F log1p_float(F x) {
    F u = 1.0f + x;
    F lost = u > 2.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    I bits = (I)__bits(u);
    I k = (bits - 0x3F3504F3) >> 23;
    F m = __float_of_bits(bits - (k << 23)) - 1.0f;
    F near = x > -0.292893f && x < 0.414213f ? (F)1.0f : (F)0.0f;
    F result = log_series_float<F>(near != 0.0f ? x : m, near != 0.0f ? (F)0.0f : (F)k, near != 0.0f ? (F)0.0f : lost / u);
    result = x < __float_of_bits(0x7F800000) ? result : x;
    result = x == -1.0f ? __float_of_bits(0xFF800000) : result;
    result = x == 0.0f ? x : result;
    return x < -1.0f ? __float_of_bits(0x7FC00000) : result;
}

template <typename F, typename I> static inline F log1p_double(F x) {
    F u = 1.0d + x;
    F lost = u > 2.0d ? 1.0d - (u - x) : x - (u - 1.0d);
    I bits = (I)__bits(u);
    I k = (bits - 0x3FE6A09E667F3BCD) >> 52;
    F m = __float_of_bits(bits - (k << 52)) - 1.0d;
    F near = x > -0.292893d && x < 0.414213d ? (F)1.0d : (F)0.0d;
    F result = log_series_double<F>(near != 0.0d ? x : m, near != 0.0d ? (F)0.0d : (F)k, near != 0.0d ? (F)0.0d : lost / u);
    result = x < __float_of_bits(0x7FF0000000000000) ? result : x;
    result = x == -1.0d ? __float_of_bits(0xFFF0000000000000) : result;
    result = x == 0.0d ? x : result;
    return x < -1.0d ? __float_of_bits(0x7FF8000000000000) : result;
}

float log1p(float x) { return log1p_float<float, int>(x); }
uniform float log1p(uniform float x) { return log1p_float<uniform float, uniform int>(x); }
double log1p(double x) { return log1p_double<double, int64>(x); }
uniform double log1p(uniform double x) { return log1p_double<uniform double, uniform int64>(x); }
float16 log1p(float16 x) { return (float16)log1p((float)x); }
uniform float16 log1p(uniform float16 x) { return (uniform float16)log1p((uniform float)x); }
