// sinh, cosh, tanh. At the ends of the range from half of e^|x|, which does not overflow before the result does.

// e^x = 4 quarter (high + low) for x >= 0
template <typename F> static inline F exp_in_parts_float(F x, F &high, F &low) {
    F bounded = __min((F)89.7f, x);
    F shifted = __mad(bounded, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __mad(n, -0.693145752f, bounded);
    high = 1.0f + most;
    low = (most - (high - 1.0f)) + expm1_curve_float<F>(most, n * -1.42860677e-6f);
    return times_power_float<F>((F)0.25f, shifted);
}

// Half of sinh and, for sign = 1, of cosh of x >= 0.
template <typename F> static inline F half_of_exp_sum_float(F x, uniform float sign) {
    F high, low;
    F quarter = exp_in_parts_float<F>(x, high, low);
    F inverse = (0.0625f * sign) / (quarter * (high + low));
    return __mad(quarter, high, __mad(quarter, low, inverse));
}

// With |x| = n ln 2 + r, r = most + rest: 2^n and 2^-n, or half of them, whose products with `most` are exact; then sinh r and
// cosh r - 1 without that.
// What is added first is the larger, or zero, so what the sum loses is known. With fused multiply-add there is less to do.
template <typename F>
static inline void parts_of_size_float(F size, F unit, F &up, F &down, F &most, F &odd, F &even) {
    F shifted = size * 1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    most = size - n * 0.693145752f;
    F rest = n * -1.42860677e-6f;
    up = times_power_float<F>(unit, shifted);
    down = __float_of_bits(2 * __bits(unit) - __bits(up));
    F r = most + rest;
    F z = r * r;
    odd = r * z * (z * 0.00836654566f + 0.166665435f) + rest;
    even = z * (z * (z * 0.00139354286f + 0.0416664593f) + 0.5f);
}

template <typename F> static noinline F sinh_at_ends_float(F x) { return 2.0f * half_of_exp_sum_float<F>(abs(x), -1.0f); }

template <typename F> static noinline F cosh_at_ends_float(F x) { return 2.0f * half_of_exp_sum_float<F>(abs(x), 1.0f); }

template <typename F> static inline F sinh_float(F x) {
    F size = abs(x);
    F up, down, most, odd, even;
    parts_of_size_float<F>(size, (F)1.0f, up, down, most, odd, even);
    F first = up - down, upper = up * most, lower = down * most;
    F half = first + upper;
    F sum = half + lower;
    F lost = (upper - (half - first)) + (lower - (sum - half));
    // Half of a subnormal number may be none, of twice one it is.
    F value = 0.5f * (sum + ((up + down) * odd + (first * even + lost)));
    if (!(size < 86.0f))
        value = sinh_at_ends_float<F>(x);
    return __copysign(value, x);
}

// e^x / 2 for x >= 0
template <typename F> static inline F half_exp_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(__min((F)711.0d, x), r, low);
    return scale_double<F>(exp_polynomial_double<F>(r, low), shifted - 1.0d);
}

// With |x| = n ln 2 + r: sinh |x| = (2^n - 2^-n) / 2 cosh r + (2^n + 2^-n) / 2 sinh r, the large terms in double length,
// but for what the rounding of the first difference lost.
template <typename F> static inline F sinh_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(__min((F)710.6d, abs(x)), r, low);
    // A quarter of both powers; beyond 2^1000 that of 2^-n does not matter.
    F up = times_power_double<F>((F)0.25d, shifted);
    F down = __float_of_bits(0x7FA0000000000000 - __bits(__min((F)1.0e300d, up)));
    F first = up - down, second = up + down;
    F z = r * r;
    F y = z * z;
    F odd = __mad(y, __mad(z, 2.5100385495912426e-08d, 2.755726845999598e-06d), __mad(z, 0.00019841269863053618d,
        0.008333333333330062d));
    F even = __mad(y, 2.7620138719733994e-07d, __mad(z, 2.480152119021773e-05d, 0.0013888888917281794d));
    odd = __mad(r * z, __mad(z, odd, 0.16666666666666669d), low);
    even = z * __mad(z, __mad(z, even, 0.04166666666662399d), 0.5d);
    F sum = __mad(second, r, first);
    F lost = __mad(second, r, first - sum);
    F value = 2.0d * (sum + __mad(second, odd, __mad(first, even, lost)));
    return abs(x) < 1.0e-300d ? x : with_sign_double<F>(value, x);
}

float sinh(float x) { return sinh_float<float>(x); }
uniform float sinh(uniform float x) { return sinh_float<uniform float>(x); }
double sinh(double x) { return sinh_double<double>(x); }
uniform double sinh(uniform double x) { return sinh_double<uniform double>(x); }
float16 sinh(float16 x) { return (float16)sinh((float)x); }
uniform float16 sinh(uniform float16 x) { return (uniform float16)sinh((uniform float)x); }

template <typename F> static inline F cosh_float(F x) {
    F size = abs(x);
    F up, down, most, odd, even;
    parts_of_size_float<F>(size, (F)0.5f, up, down, most, odd, even);
    F upper = up * most;
    F sum = up + upper;
    F lost = upper - (sum - up);
    F value = sum + (((up - down) * odd + (up + down) * even) + (lost + (down - down * most)));
    if (!(size < 86.0f))
        value = cosh_at_ends_float<F>(x);
    return value;
}

template <typename F> static inline F cosh_double(F x) {
    F half = half_exp_double<F>(abs(x));
    return half + 0.25d / half;
}

float cosh(float x) { return cosh_float<float>(x); }
uniform float cosh(uniform float x) { return cosh_float<uniform float>(x); }
double cosh(double x) { return cosh_double<double>(x); }
uniform double cosh(uniform double x) { return cosh_double<uniform double>(x); }
float16 cosh(float16 x) { return (float16)cosh((float)x); }
uniform float16 cosh(uniform float16 x) { return (uniform float16)cosh((uniform float)x); }

// By the upper bits of 1 + |x|, modulo 8, the centre c, tanh c and the coefficients of P in tanh(c + t) = tanh c + t P(t); around zero
// t + t P(t). Centres are such that the values there, and their slopes, nearly, are floats (Gal 1986).
static const uniform float tanh_pieces[10][8] = {
    {1.48852539f, 2.48999023f, 3.98876953f, 5.99316406f,
     8.54394531f, 0.0f, 0.0f, 0.748046875f},
    {0.903053045f, 0.98634547f, 0.99931407f, 0.999987543f,
     0.99999994f, 0.0f, 0.0f, 0.633982301f},
    {0.184495151f, 0.0271226149f, 0.0013713612f, 2.49148598e-05f,
     1.51308555e-07f, 0.0f, -5.65134106e-10f, 0.598066449f},
    {-0.166608781f, -0.0267522503f, -0.0013704421f, -2.49164605e-05f,
     -3.69153497e-07f, 0.0f, 1.39335839e-07f, -0.379163921f},
    {0.0889606997f, 0.0173459407f, 0.000912759511f, 1.66131631e-05f,
     1.02704455e-07f, 0.0f, -0.33333981f, 0.0410264246f},
    {-0.0248025134f, -0.00819200184f, -0.000454992201f, -8.29916189e-06f,
     4.05450777e-07f, 0.0f, 0.000118116775f, 0.100405656f},
    {-0.00319266412f, 0.00290362677f, 0.000179602052f, 3.29915815e-06f,
     1.82944007e-08f, 0.0f, 0.132250056f, -0.0639761463f},
    {0.00746651227f, -0.000724811689f, -5.94773046e-05f, -1.10906046e-06f,
     -3.12709858e-07f, 0.0f, 0.00556546915f, -0.00199133391f},
    {-0.00388995651f, 5.86173701e-05f, 1.84914679e-05f, 3.52474331e-07f,
     2.77841417e-09f, 0.0f, -0.0705679059f, 0.0211595725f},
    {0.000767707534f, 4.56574162e-05f, -4.23121401e-06f, -8.36310079e-08f,
     6.36374438e-08f, 0.0f, 0.0278409347f, -0.00474465452f}
};

template <typename F, typename I, typename D> static inline F tanh_float(F x) {
    F size = __min((F)10.0f, abs(x));
    F above = size + 1.0f;
    I piece = (I)__bits(above) >> 22;
    F t = size - __lookup_eight(&tanh_pieces[0][0], piece);
    F z = t * t;
    F low = __fma(t, __lookup_eight(&tanh_pieces[4][0], piece), __lookup_eight(&tanh_pieces[3][0], piece));
    F middle = __fma(t, __lookup_eight(&tanh_pieces[6][0], piece), __lookup_eight(&tanh_pieces[5][0], piece));
    F high = __fma(t, __lookup_eight(&tanh_pieces[8][0], piece), __lookup_eight(&tanh_pieces[7][0], piece));
    F p = __fma(z, __fma(z, __fma(z, __lookup_eight(&tanh_pieces[9][0], piece), high), middle), low);
    // The first two terms in double length.
    F centre = __lookup_eight(&tanh_pieces[1][0], piece), slope = __lookup_eight(&tanh_pieces[2][0], piece);
    F start = above < 1.5f ? t : centre;
    F sum = __fma(t, slope, start);
    return with_sign_float<F>(sum + __fma(z, p, __fma(t, slope, start - sum)), x);
}

// -m / (m + 2) with m = e^-2|x| - 1, which loses less than with m = e^2|x| - 1; beyond 1 the other way.
template <typename F, typename U> static inline F tanh_double(F x) {
    F size = abs(x);
    F r, low;
    F shifted = exp_reduced_double<F>(size < 1.0d ? -2.0d * size : __min((F)40.0d, 2.0d * size), r, low);
    // m and what its rounding loses: the sum 2^n - 1 + 2^n r + 2^n rest, of which each is smaller than those before, or 0.
    F power = __float_of_bits((__bits(shifted) + 1023) << 52);
    F whole = power - 1.0d, part = r * power;
    F most = whole + part;
    F lost = (whole - most) + part + exp_curve_double<F>(r, low) * power;
    F m = most + lost;
    F m_low = (most - m) + lost;
    F d = m + 2.0d;
    F inverse = 1.0d / d;
    F q = -m * inverse;
    F product = q * d;
    F d_low = (__max(2.0d, m) - d + __min(2.0d, m)) + m_low;
    F rest = (((-m - product) - product_error<F, U>(q, d, product)) - m_low) - q * d_low;
    F near = __mad(rest, inverse, q), far = __mad(-2.0d, inverse, 1.0d);
    return __copysign(size < 1.0d ? near : far, x);
}

float tanh(float x) { return tanh_float<float, int, double>(x); }
uniform float tanh(uniform float x) { return tanh_float<uniform float, uniform int, uniform double>(x); }
double tanh(double x) { return tanh_double<double, uint64>(x); }
uniform double tanh(uniform double x) { return tanh_double<uniform double, uniform uint64>(x); }
float16 tanh(float16 x) { return (float16)tanh((float)x); }
uniform float16 tanh(uniform float16 x) { return (uniform float16)tanh((uniform float)x); }
