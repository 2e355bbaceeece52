// --math-lib=fast: double functions for everyday arguments, good to 4 units of the last place there.
//
// What is left out against the default library, as for float: terms and sums in double length for the last two bits, large angles, and
// logarithms of what is not normal and above zero. Polynomials are Chebyshev fits made with mpmath at 60 digits.

template <typename F> static inline F exp_fast_double(F x) {
    F shifted = __mad(x, 1.4426950408889634d, 6755399441055744.0d);
    F n = shifted - 6755399441055744.0d;
    F r = __mad(n, -2.8235290563031577103118e-13d, __mad(n, -0.6931471805596629565116018d, x));
    F z = r * r;
    F y = z * z;
    F high = __mad(y, 2.747661071535103e-07d, __mad(z, __mad(r, 2.763504192330733e-06d, 2.4801932447555043e-05d),
        __mad(r, 0.00019841185122083924d, 0.0013888888515314081d)));
    F low = __mad(z, __mad(r, 0.008333333370948725d, 0.041666666668140825d), __mad(r, 0.16666666666611393d, 0.4999999999999832d));
    F power = times_power_double<F>(1.0d + __mad(z, __mad(y, high, low), r), shifted);
    if (!(abs(x) < 708.0d))
        power = exp_at_ends_double<F>(x);
    return power;
}

double exp(double x) { return exp_fast_double<double>(x); }
uniform double exp(uniform double x) { return exp_fast_double<uniform double>(x); }

template <typename F, typename U> static inline F exp2_fast_double(F x) {
    F shifted = x + 6755399441055744.0d;
    F r = x - (shifted - 6755399441055744.0d);
    F z = r * r;
    F y = z * z;
    F high = __mad(z, __mad(r, 7.038192015086467e-09d, 1.0208322134243918e-07d), __mad(r, 1.3215653448026542e-06d,
        1.52526594330459e-05d));
    F middle = __mad(z, __mad(r, 0.00015403529994733665d, 0.0013333558225788744d), __mad(r, 0.00961812910798256d,
        0.055504108664481924d));
    F low = __mad(r, 0.24022650695909104d, 0.6931471805599492d);
    F power = times_power_double<F>(__mad(r, __mad(z, __mad(y, high, middle), low), 1.0d), shifted);
    if (!(abs(x) < 1021.0d))
        power = exp2_at_ends_double<F, U>(x);
    return power;
}

double exp2(double x) { return exp2_fast_double<double, uint64>(x); }
uniform double exp2(uniform double x) { return exp2_fast_double<uniform double, uniform uint64>(x); }

// 2^n (e^r - 1) + (2^n - 1), halved for results at the end of the range.
template <typename F> static inline F expm1_fast_double(F x) {
    F bounded = __min((F)709.9d, __max((F)-50.0d, x));
    F shifted = __mad(bounded, 1.4426950408889634d, 6755399441055744.0d);
    F n = shifted - 6755399441055744.0d;
    F r = __mad(n, -2.8235290563031577103118e-13d, __mad(n, -0.6931471805596629565116018d, bounded));
    F z = r * r;
    F y = z * z;
    F high = __mad(y, __mad(r, 2.506205459798066e-08d, 2.762628738949993e-07d), __mad(z, __mad(r, 2.755738144370766e-06d,
        2.480150454875613e-05d), __mad(r, 0.00019841269748153279d, 0.0013888888932295019d)));
    F low = __mad(z, __mad(r, 0.008333333333376125d, 0.04166666666657383d), __mad(r, 0.1666666666666661d, 0.5000000000000006d));
    F half = times_power_double<F>((F)0.5d, shifted);
    return 2.0d * __mad(half, __mad(z, __mad(y, high, low), r), half - 0.5d);
}

double expm1(double x) { return expm1_fast_double<double>(x); }
uniform double expm1(uniform double x) { return expm1_fast_double<uniform double>(x); }

// k + s P(s^2) with s = f / (2 + f) for normal x > 0, that is 2 atanh s / ln 2.
template <typename F> static inline F log2_fast_double(F x) {
    F power;
    F f = log_split_double<F>(x, power);
    F s = f / (2.0d + f);
    F z = s * s;
    F y = z * z;
    F high = __mad(y, 0.22821522542567968d, __mad(z, 0.21940594706395844d, 0.26239567660320967d));
    F low = __mad(y, __mad(z, 0.3205972972090683d, 0.41219859867181996d), __mad(z, 0.577078016282029d, 0.961796693926109d));
    // The first term apart from the rest, whose rounding counts less.
    return __mad(s, 2.8853900817779268d, __mad(s * z, __mad(y * y, high, low), power));
}

// power ln 2 + 2 atanh s
template <typename F> static inline F log_sum_fast_double(F f, F power) {
    F s = f / (2.0d + f);
    F z = s * s;
    F y = z * z;
    F high = __mad(y, 0.14795527015752627d, __mad(z, 0.15314095309497092d, 0.1818356245692267d));
    F low = __mad(y, __mad(z, 0.22222198612087116d, 0.2857142874196969d), __mad(z, 0.3999999999941682d, 0.6666666666666734d));
    F curve = __mad(y * y, high, low);
    return __mad(power, 0.6931471805599453d, __mad(s * z, curve, s + s));
}

template <typename F> static inline F log_fast_double(F x) {
    F power;
    F f = log_split_double<F>(x, power);
    return log_sum_fast_double<F>(f, power);
}

// As by default, with 2^-k x and what 1 - 2^-k loses of it.
template <typename F, typename U> static inline F log1p_fast_double(F x) {
    U field = __bits(1.0d + x) + 0x00095F619980C433 & 0xFFF0000000000000;
    F k = __float_of_bits((field >> 52) + 0x4330000000000000) - 4503599627371519.0d;
    F power = __float_of_bits(0x7FE0000000000000 - field);
    return log_sum_fast_double<F>(__mad(x, power, power - 1.0d), k);
}

double log1p(double x) { return log1p_fast_double<double, uint64>(x); }
uniform double log1p(uniform double x) { return log1p_fast_double<uniform double, uniform uint64>(x); }
double log2(double x) { return log2_fast_double<double>(x); }
uniform double log2(uniform double x) { return log2_fast_double<uniform double>(x); }
double log(double x) { return log_fast_double<double>(x); }
uniform double log(uniform double x) { return log_fast_double<uniform double>(x); }

// As for float: the sine of what is left of half turns, for sizes up to 100,000. The sign is one that leaves -0.
template <typename F> static inline F sin_of_half_turns_fast_double(F x, F turns, F n) {
    F r = half_turn_rest_double<F>(x, n);
    F z = r * r;
    F y = z * z;
    F high = __mad(y, 7.373268433401923e-13d, __mad(z, -1.604808933898629e-10d, 2.5051880086026886e-08d));
    F low = __mad(z, __mad(z, -2.7557316597716024e-06d, 0.00019841269825034868d), -0.008333333333285469d);
    F p = __mad(z, __mad(y * z, high, low), 0.16666666666666186d);
    F value = r - r * z * p;
    return __float_of_bits(__bits(value) ^ (__bits(turns) << 63));
}

template <typename F> static inline F sin_fast_double(F x) {
    F turns = __mad(x, 0.3183098861837907d, 6755399441055744.0d);
    return sin_of_half_turns_fast_double<F>(x, turns, turns - 6755399441055744.0d);
}

// cos x = sin(x + pi/2)
template <typename F> static inline F cos_fast_double(F x) {
    F turns = __mad(x, 0.3183098861837907d, 0.5d) + 6755399441055744.0d;
    return sin_of_half_turns_fast_double<F>(x, turns, (turns - 6755399441055744.0d) - 0.5d);
}

double sin(double x) { return sin_fast_double<double>(x); }
uniform double sin(uniform double x) { return sin_fast_double<uniform double>(x); }
double cos(double x) { return cos_fast_double<double>(x); }
uniform double cos(uniform double x) { return cos_fast_double<uniform double>(x); }

// tan r = r (1 + z N(z)) / (1 + z D(z)) with z = r^2; for odd quarter turns the quotient is turned over and negated.
template <typename F, typename L> static inline F tan_fast_double(F x) {
    F turns = __mad(x, 0.6366197723675814d, 6755399441055744.0d);
    F r = half_turn_rest_double<F>(x, (turns - 6755399441055744.0d) * 0.5d);
    F z = r * r;
    F n = __mad(z, __mad(z, -1.786076368040364e-05d, 0.0034248315662285113d), -0.13338303657177566d);
    F d = __mad(z, __mad(z, __mad(z, 4.981490128171717e-07d, -0.0003118059227867299d), 0.025663621534598238d), -0.466716369905109d);
    F side = __float_of_bits(__bits(r) ^ (__bits(turns) << 63)) * __mad(z, n, 1.0d), even = __mad(z, d, 1.0d);
    L odd = (L)(__bits(turns) << 63);
    return (odd < 0 ? even : side) / (odd < 0 ? side : even);
}

double tan(double x) { return tan_fast_double<double, int64>(x); }
uniform double tan(uniform double x) { return tan_fast_double<uniform double, uniform int64>(x); }

// As by default, without what pi/2 and pi lose in rounding.
template <typename F> static inline F atan_of_ratio_fast_double(F n, F d) {
    F base;
    F t = quotient_to_eighth_double<F>(n, d, base);
    F z = t * t;
    F y = z * z;
    F high = __mad(y, __mad(z, 0.022748939747779046d, -0.04483218628995374d), __mad(z, 0.057362969593526145d, -0.06649607953399717d));
    F low = __mad(y, __mad(z, 0.07691054614825647d, -0.09090852527088297d), __mad(z, 0.11111109635603796d, -0.1428571426608229d));
    F p = __mad(y, __mad(y * y, high, low), __mad(z, 0.19999999999898324d, -0.3333333333333325d));
    return __mad(t * z, p, base + t);
}

template <typename F> static inline F atan_fast_double(F x) {
    return with_sign_double<F>(atan_of_ratio_fast_double<F>(abs(x), (F)1.0d), x);
}

// Not both infinite.
template <typename F> static inline F atan2_fast_double(F y, F x) {
    F angle = atan_of_ratio_fast_double<F>(abs(y), __max((F)4.9406564584124654e-324d, abs(x)));
    return with_sign_double<F>(__bits(x) >= 0x8000000000000000 ? 3.141592653589793d - angle : angle, y);
}

double atan(double x) { return atan_fast_double<double>(x); }
uniform double atan(uniform double x) { return atan_fast_double<uniform double>(x); }
double atan2(double y, double x) { return atan2_fast_double<double>(y, x); }
uniform double atan2(uniform double y, uniform double x) { return atan2_fast_double<uniform double>(y, x); }

// n and r in |x| = n ln 2 + r: a quarter of 2^n and of 2^-n, or 0 where that does not matter, then sinh r and cosh r - 1.
template <typename F> static inline void parts_of_sinh_fast_double(F x, F &up, F &down, F &odd, F &even) {
    F size = __min((F)710.6d, abs(x));
    F shifted = __mad(size, 1.4426950408889634d, 6755399441055744.0d);
    F n = shifted - 6755399441055744.0d;
    F r = __mad(n, -2.8235290563031577103118e-13d, __mad(n, -0.6931471805596629565116018d, size));
    up = times_power_double<F>((F)0.25d, shifted);
    down = __float_of_bits(0x7FA0000000000000 - __bits(__min((F)1.0e300d, up)));
    F z = r * r;
    F y = z * z;
    F p = __mad(y, __mad(z, 2.5100385495912426e-08d, 2.755726845999598e-06d), __mad(z, 0.00019841269863053618d, 0.008333333333330062d));
    F q = __mad(y, __mad(z, 2.091123663054871e-09d, 2.755728296954918e-07d), __mad(z, 2.4801587317144498e-05d, 0.0013888888888886552d));
    odd = __mad(r * z, __mad(z, p, 0.16666666666666669d), r);
    even = z * __mad(z, __mad(z, q, 0.041666666666666664d), 0.5d);
}

template <typename F> static inline F sinh_fast_double(F x) {
    F up, down, odd, even;
    parts_of_sinh_fast_double<F>(x, up, down, odd, even);
    F first = up - down;
    return with_sign_double<F>(2.0d * __mad(up + down, odd, __mad(first, even, first)), x);
}

template <typename F> static inline F cosh_fast_double(F x) {
    F up, down, odd, even;
    parts_of_sinh_fast_double<F>(x, up, down, odd, even);
    F first = up + down;
    return 2.0d * __mad(up - down, odd, __mad(first, even, first));
}

double sinh(double x) { return sinh_fast_double<double>(x); }
uniform double sinh(uniform double x) { return sinh_fast_double<uniform double>(x); }
double cosh(double x) { return cosh_fast_double<double>(x); }
uniform double cosh(uniform double x) { return cosh_fast_double<uniform double>(x); }

// -m / (m + 2) with m = e^-2|x| - 1
template <typename F> static inline F tanh_fast_double(F x) {
    F r, low;
    F shifted = exp_reduced_double<F>(__max((F)-40.0d, -2.0d * abs(x)), r, low);
    F power = __float_of_bits((__bits(shifted) + 1023) << 52);
    F m = __mad(power, r + exp_curve_double<F>(r, low), power - 1.0d);
    return __copysign(m / (m + 2.0d), x);
}

double tanh(double x) { return tanh_fast_double<double>(x); }
uniform double tanh(uniform double x) { return tanh_fast_double<uniform double>(x); }
