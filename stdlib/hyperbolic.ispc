// sinh, cosh, tanh: from half of e^|x|, which does not overflow before the result does; near zero odd polynomials.

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

template <typename F> static inline F sinh_float(F x) {
    F size = abs(x), z = x * x;
    F p = __mad(z, __mad(z, __mad(z, 2.78392554e-6f, 0.000198426351f), 0.00833331142f), 0.166666672f);
    F near = __mad(x * z, p, x), far = __copysign(2.0f * half_of_exp_sum_float<F>(size, -1.0f), x);
    return size < 1.0f ? near : far;
}

// e^x / 2 for x >= 0
template <typename F> static inline F half_exp_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(__min((F)711.0d, x), r, low);
    return scale_double<F>(exp_polynomial_double<F>(r, low), shifted - 1.0d);
}

template <typename F> static inline F sinh_double(F x) {
    F size = abs(x), z = x * x;
    F y = z * z;
    F p = __mad(y, __mad(y, __mad(y, __mad(z, 2.84452641698952856325e-15d, 7.646625361656657656309e-13d), __mad(z,
        1.60590483963505616404e-10d, 2.505210836405804075134e-8d)), __mad(z, 0.000002755731922404033859821d,
        0.0001984126984126977319739d)), __mad(z, 0.008333333333333333365752d, 0.1666666666666666666664d));
    F half = half_exp_double<F>(size);
    return size < 1.0d ? __mad(x * z, p, x) : __copysign(half - 0.25d / half, x);
}

float sinh(float x) { return sinh_float<float>(x); }
uniform float sinh(uniform float x) { return sinh_float<uniform float>(x); }
double sinh(double x) { return sinh_double<double>(x); }
uniform double sinh(uniform double x) { return sinh_double<uniform double>(x); }
float16 sinh(float16 x) { return (float16)sinh((float)x); }
uniform float16 sinh(uniform float16 x) { return (uniform float16)sinh((uniform float)x); }

template <typename F> static inline F cosh_float(F x) { return 2.0f * half_of_exp_sum_float<F>(abs(x), 1.0f); }

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

// e^2|x| - 1, as far as it matters, in double length.
template <typename F> static inline F expm1_doubled_float(F x, F &low) {
    F doubled = __min((F)20.0f, 2.0f * abs(x));
    F shifted = __mad(doubled, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __mad(n, -0.693145752f, doubled);
    F power = times_power_float<F>((F)1.0f, shifted);
    F sum = __mad(most, power, power - 1.0f);
    F lost = __mad(most, power, power - 1.0f - sum);
    F rest = __mad(expm1_curve_float<F>(most, n * -1.42860677e-6f), power, lost);
    F m = sum + rest;
    low = rest - (m - sum);
    return m;
}

// tanh |x| = m / (m + 2) with m = e^2|x| - 1; in double, where that loses less, -m / (m + 2) with m = e^-2|x| - 1.
template <typename F, typename D> static inline F tanh_float(F x) {
    F m_low;
    F m = expm1_doubled_float<F>(x, m_low);
    // The quotient, with what the rounding of m, of the divisor and of the quotient lost.
    F d = m + 2.0f;
    F inverse = 1.0f / d;
    F q = m * inverse;
    F d_low = (__max(2.0f, m) - d + __min(2.0f, m)) + m_low;
    F rest = __fma(-q, d_low, __fma(-q, d, m) + m_low);
    return __copysign(__fma(rest, inverse, q), x);
}

template <typename F, typename U> static inline F tanh_double(F x) {
    F size = abs(x);
    F r, low;
    F shifted = exp_reduced_double<F>(size < 1.0d ? -2.0d * size : __min((F)40.0d, 2.0d * size), r, low);
    // m and what its rounding loses: the sum 2^n - 1 + 2^n r + 2^n rest, of which each is smaller than those before, or 0.
    F power = __float_of_bits((__bits(shifted) + 1023) << 52);
    F whole = power - 1.0d, part = r * power;
    F most = whole + part;
    F lost = (whole - most) + part + expm1_rest_double<F>(r, low) * power;
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

float tanh(float x) { return tanh_float<float, double>(x); }
uniform float tanh(uniform float x) { return tanh_float<uniform float, uniform double>(x); }
double tanh(double x) { return tanh_double<double, uint64>(x); }
uniform double tanh(uniform double x) { return tanh_double<uniform double, uniform uint64>(x); }
float16 tanh(float16 x) { return (float16)tanh((float)x); }
uniform float16 tanh(uniform float16 x) { return (uniform float16)tanh((uniform float)x); }
