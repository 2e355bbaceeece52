// exp2, log, log1p, log2, pow and tanh of float, without fused multiply-add.
//
// Where the library's own algorithm needs a product exactly, a few steps are done in double, or constants are split such that the
// product is exact in float. Polynomials are made by benchmarks/coefficients.py.

// As 2^r - 1 is nearer to r than r ln 2 is, less is lost.
template <typename F> static inline F exp2_polynomial_float(F r) {
    F z = r * r;
    F p = z * (r * 0.000153289526f + 0.00133909809f) + (r * 0.00961850025f + 0.0555035956f);
    return r + (z * (r * p + 0.240226477f) - r * 0.306852818f);
}

// What the rounding of r lost counts times e^r - 1, and what is less than z / 2 is added up first.
template <typename F> static inline F expm1_curve_float(F most, F rest) {
    F r = most + rest;
    F r_low = (most - r) + rest;
    F z = r * r;
    F p = z * (z * (r * 0.000197625719f + 0.00139323308f) + (r * 0.00833354518f + 0.0416664928f)) + r * 0.166666657f;
    return z * 0.5f + (z * p + (r_low * r + rest));
}

// k ln 2 in two parts, of which the upper is exact: what cancels is exact.
template <typename F, typename I> static inline F log_float(F x) {
    F k;
    F f = significand_and_exponent<F, I>(x, k) - 1.0f;
    return k * 0.693145752f + (f + ((f * f) * log_series_float<F>(f) + k * 1.42860677e-6f));
}

// -k ln 2 + log(1 + f) for finite k: the upper part of k ln 2 is zero or larger than f, so what their sum loses is known.
template <typename F> static inline F log_sum_float(F k, F f) {
    F whole = k * -0.693145752f;
    F sum = whole + f;
    F lost = f - (sum - whole);
    // The series as in log_series_float, but its first term apart, which loses less.
    F z = f * f;
    F y = z * z;
    F low = z * (f * -0.166493118f + 0.200007305f) + (f * -0.250004411f + 0.333333313f);
    F high = z * (f * -0.0974718258f + 0.119999751f) + (f * -0.127270609f + 0.142404571f);
    F curve = z * -0.49999997f + (z * f) * (y * (y * 0.0417119488f + high) + low);
    return sum + (curve + (k * -1.42860677e-6f + lost));
}

// log2 m for m from sqrt(1/2) to sqrt(2).
template <typename D> static inline D log2_of_significand(D m) {
    D s = (m - 1.0d) / (m + 1.0d);
    D z = s * s;
    D u = z * z;
    return s * ((2.885390081790142d + z * 0.9617966732821952d) +
        u * ((0.5770835948800486d + z * 0.41167219164503766d) + u * 0.34073886678500126d));
}

// f / ln 2 as the product of 12 digits each, which is exact, and a rest; what the sum with k loses is known, as k is 0 or the larger.
// 1 + f runs from 2/3 to 4/3, where the rounding of the square counts less than beyond.
template <typename F, typename I> static inline F log2_of_normal_float(F x, F extra) {
    I above = (I)(__bits(x) - 0x3F2AAAAB);
    F f = __float_of_bits(__bits(x) - (above & 0xFF800000)) - 1.0f;
    F upper = __float_of_bits(__bits(f) & 0xFFFFF000);
    F k = (F)(above >> 23) + extra;
    F z = f * f;
    F y = z * z;
    F low = z * (f * -0.240809381f + 0.288533539f) + (f * -0.360665709f + 0.48089838f);
    F high = z * (f * -0.193870202f + 0.15522033f) + (f * -0.173844099f + 0.206360489f);
    F curve = z * f * (y * (y * 0.173142254f + high) + low);
    F most = upper * 1.44287109375f;
    F rest = (f - upper) * 1.44287109375f - f * 0.000176053f;
    F sum = k + most;
    return sum + (z * -0.72134757f + (curve + (rest + (most - (sum - k)))));
}

// 2^t factor for what a float holds; beyond, 0 and infinity come from the conversion.
template <typename F, typename D> static inline F exp2_times(D t, D factor) {
    D bounded = __max((D)-200.0d, __min((D)200.0d, t));
    D shifted = bounded + 6755399441055744.0d;
    D r = bounded - (shifted - 6755399441055744.0d);
    D z = r * r;
    D p = (0.6931472029069435d + r * 0.24022647906948424d) + z * ((0.05550332347988208d + r * 0.009618437856738288d) +
        z * (0.0013398925990012653d + r * 0.00015353318754819341d));
    return (F)__float_of_bits(__bits(factor + factor * (r * p)) + (__bits(shifted) << 52));
}

// (a 2^extra)^b for normal a > 0.
template <typename F, typename I, typename D> static inline F pow_in_double(F a, F b, F extra) {
    // Unsigned: of negative numbers, whose power is another function's, the difference would overflow.
    I above = (I)(__bits(a) - 0x3F3504F3);
    D m = (D)__float_of_bits(__bits(a) - (above & 0xFF800000));
    D power = (D)b * ((D)((F)(above >> 23) + extra) + log2_of_significand<D>(m));
    return a == 1.0f && extra == 0.0f ? (F)1.0f : exp2_times<F, D>(power, (D)1.0d);
}

template <typename F, typename I, typename D> static noinline F pow_special_in_double(F a, F b) {
    F size = abs(a);
    F power = pow_in_double<F, I, D>(size < 1.17549435e-38f ? (F)(I)(__bits(size) & 0x7FFFFF) : size, b,
        size < 1.17549435e-38f ? (F)-149.0f : (F)0.0f);
    return pow_special_cases<F>(power, a, b);
}

template <typename F, typename I, typename D> static inline F pow_float(F a, F b) {
    F power = pow_in_double<F, I, D>(a, b, (F)0.0f);
    if (__bits(a) - 0x00800000 >= 0x7F000000)
        power = pow_special_in_double<F, I, D>(a, b);
    return power;
}

template <typename F, typename I, typename D> static inline F pow_of_one_float(F a, F b) { return pow_float<F, I, D>(a, b); }
template <typename F, typename I, typename D> static inline F pow_fast_or_special(F a, F b) { return pow_float<F, I, D>(a, b); }

// tanh |x| = m / (m + 2) with m = e^2|x| - 1 = 2^n (2^r - 1) + (2^n - 1)
template <typename F, typename I, typename D> static inline F tanh_float(F x) {
    D exponent = (D)__min((F)10.0f, abs(x)) * 2.885390081777927d;
    D shifted = exponent + 6755399441055744.0d;
    D r = exponent - (shifted - 6755399441055744.0d);
    D power = __float_of_bits((__bits(shifted) << 52) + 0x3FF0000000000000);
    D z = r * r;
    D low = (0.6931471805816383d + r * 0.2402265092058867d) + z * (0.05550410727263447d + r * 0.009618056921802119d);
    D high = (0.0013333669630156318d + r * 0.0001546137612432678d) + z * 1.5252719557661877e-05d;
    D m = r * power * (low + (z * z) * high) + (power - 1.0d);
    return __copysign((F)(m / (m + 2.0d)), x);
}
