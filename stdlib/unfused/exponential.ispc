// exp, exp2, expm1 and log2 of double without fused multiply-add. e^x = 2^(n/64) e^r, where the first is 2^k times a row of
// exponential_tables.ispc and r so small that the polynomial is short and its rounding counts little (Tang 1989).

// 2^(n/64) (1 + e) less whole powers of two, where the low bits of n + 1.5 * 2^52 are given, in two parts.
template <typename F> static inline F power_from_row_double(F shifted, F e, F &rest) {
    F row = exp2_rows[(__bits(shifted) & 63) << 1];
    rest = row * e + exp2_rows[((__bits(shifted) & 63) << 1) + 1];
    return row;
}

// x 2^k for the whole powers.
template <typename F> static inline F times_whole_power_double(F x, F shifted) {
    return __float_of_bits(__bits(x) + ((__bits(shifted) & 0xFFFFFFFFFFFFFFC0) << 46));
}

// r, where n times the upper part of ln 2 / 64 is exact.
template <typename F> static inline F exp_reduced_to_row_double(F x, F &shifted) {
    shifted = x * 92.33248261689366d + 6755399441055744.0d;
    F n = shifted - 6755399441055744.0d;
    return (x - n * 0.010830424695996044d) - n * 2.5310172166650877e-13d;
}

template <typename F> static inline F exp_double(F x) {
    F shifted, rest;
    F r = exp_reduced_to_row_double<F>(x, shifted);
    F z = r * r;
    F curve = z * ((r * 0.16666666666657673d + 0.4999999999994833d) + z * (r * 0.008333342094593488d + 0.0416667234926043d));
    F row = power_from_row_double<F>(shifted, r + curve, rest);
    F power = times_whole_power_double<F>(row + rest, shifted);
    if (!(abs(x) < 708.0d))
        power = exp_at_ends_double<F>(x);
    return power;
}

template <typename F, typename U> static inline F exp2_double(F x) {
    F shifted = x + 105553116266496.0d, rest;
    F r = x - (shifted - 105553116266496.0d);
    F z = r * r;
    F e = r * (z * (z * 0.0013333430433567206d + (r * 0.009618142215995761d + 0.05550410866600505d)) +
        (r * 0.24022650695885295d + 0.6931471805599453d));
    F row = power_from_row_double<F>(shifted, e, rest);
    F power = times_whole_power_double<F>(row + rest, shifted);
    if (!(abs(x) < 1021.0d))
        power = exp2_at_ends_double<F, U>(x);
    return power;
}

// Those of --math-lib=fast would take longer.
template <typename F> static inline F exp_fast_double(F x) { return exp_double<F>(x); }
template <typename F, typename U> static inline F exp2_fast_double(F x) { return exp2_double<F, U>(x); }

// 2^k row - 1 + 2^k rest, halved for results at the end of the range.
template <typename F> static inline F expm1_double(F x) {
    F shifted, rest;
    F r = exp_reduced_to_row_double<F>(__min((F)709.9d, __max((F)-50.0d, x)), shifted);
    F z = r * r;
    F curve = z * ((r * 0.16666666666659286d + 0.5d) + z * (z * 0.0013888899840911186d + (r * 0.00833334145122105d +
        0.04166666666665542d)));
    F half = times_whole_power_double<F>((F)0.5d, shifted);
    F row = power_from_row_double<F>(shifted, curve, rest);
    F first = row * half;
    F linear = r * first;
    F whole = first - 0.5d;
    F sum = whole + linear;
    F lost = (linear - (sum - whole)) + (first - whole - 0.5d);
    F result = 2.0d * (sum + (rest * half + lost));
    return abs(x) < 1.0e-300d ? x : result;
}

// The first term is the product of 26 digits each, which is exact, and a rest.
template <typename F> static inline F log2_sum_double(F f, F power) {
    F s = f / (2.0d + f);
    F upper = __float_of_bits(__bits(s) & 0xFFFFFFFFF8000000);
    F curve = log2_curve_double<F>(s, f, (s - upper) * 2.885390043258667d + s * 3.851925982253235e-08d);
    F most = upper * 2.885390043258667d;
    F sum = power + most;
    return sum + (curve + (most - (sum - power)));
}
