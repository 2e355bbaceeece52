// Elementary functions of float for a core without fused multiply-add: they take the place of those of the same name in the library.
//
// The algorithms are those of the library; products and sums are rounded one by one, but for what near_fma is asked for. ln 2 is
// split such that n times its upper part is exact, in two ways: one has a lower part of the same sign, for logarithms of 0.

// a b + c, off by little more than half a unit of the last place, exact where the result has few enough digits: the error of
// the product by halves of 12 bits (Dekker 1971), and that of the sum (Knuth). Of zeros it keeps the sign.
template <typename F> static inline F near_fma(F a, F b, F c) {
    F product = a * b;
    F a_high = __float_of_bits(__bits(a) + 0x800 & 0xFFFFF000), b_high = __float_of_bits(__bits(b) + 0x800 & 0xFFFFF000);
    F a_low = a - a_high, b_low = b - b_high;
    F error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    F sum = product + c;
    F part = sum - product;
    F beyond = ((sum - part) - product) + (part - c);
    return sum - (beyond - error);
}

template <typename F> static inline F exp_reduced_float(F x, F &shifted) {
    F bounded = __max((F)-104.0f, __min((F)90.0f, x));
    shifted = bounded * 1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    F most = bounded - n * 0.693359375f, rest = n * 2.12194440e-4f;
    F r = most + rest;
    F z = r * r;
    F p = z * (z * 0.00138207339f + (r * 0.00836867746f + 0.0416682661f)) + (r * 0.166665211f + 0.49999994f);
    return most + (z * p + rest);
}

template <typename F> static inline F exp2_polynomial_float(F r) {
    F z = r * r;
    F p = z * (r * 0.000153289526f + 0.00133909809f) + (r * 0.00961850025f + 0.0555035956f);
    return r * 0.693147182f + z * (r * p + 0.240226477f);
}

template <typename F> static inline F log_series_float(F f) {
    F z = f * f;
    F y = z * z;
    F low = z * (f * -0.166493118f + 0.200007305f) + (f * -0.250004411f + 0.333333313f);
    F high = z * (f * -0.0974718258f + 0.119999751f) + (f * -0.127270609f + 0.142404571f);
    return f * (y * (y * 0.0417119488f + high) + low) - 0.49999997f;
}

template <typename F, typename I> static inline F log_float(F x) {
    F k;
    F f = significand_and_exponent<F, I>(x, k) - 1.0f;
    return k * 0.69140625f + (f + ((f * f) * log_series_float<F>(f) + k * 0.00174093056f));
}

template <typename F, typename I> static inline F log2_float(F x) {
    F exponent;
    F m = significand_and_exponent<F, I>(x, exponent);
    F k = m > 1.33333337f ? exponent + 1.0f : exponent;
    F f = (m > 1.33333337f ? 0.5f * m : m) - 1.0f;
    F z = f * f;
    F y = z * z;
    F low = z * (f * -0.240633771f + 0.288686574f) + (f * -0.36067149f + 0.480896711f);
    F high = z * -0.18552424f + (f * 0.201606259f - 0.175920799f);
    F cube = z * f * (y * (f * high + 0.202096641f) + low);
    F linear = f * 1.44269502f;
    F linear_low = near_fma<F>(f, 1.44269502f, -linear);
    F sum = k + linear;
    F sum_low = abs(k) < __float_of_bits(0x7F800000) ? linear - (sum - k) : (F)0.0f;
    F square_low = near_fma<F>(f, f, -z) * -0.721347511f;
    return sum + (sum_low + (z * -0.721347511f + (cube + (square_low + (f * 1.92596303e-8f + linear_low)))));
}

template <typename F> static inline F expm1_curve_float(F most, F rest) {
    F r = most + rest;
    F z = r * r;
    F p = z * (z * (r * 0.000197625719f + 0.00139323308f) + (r * 0.00833354518f + 0.0416664928f)) + (r * 0.166666657f + 0.5f);
    return z * p + rest;
}

template <typename F> static inline F expm1_float(F x) {
    F bounded = __max((F)-25.0f, __min((F)89.0f, x));
    F shifted = bounded * 1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    F most = bounded - n * 0.693359375f;
    F p = most + expm1_curve_float<F>(most, n * 2.12194440e-4f);
    F half = __scale_sum((F)0.5f, (F)0.0f, shifted);
    return __copysign(2.0f * (p * half + (half - 0.5f)), x);
}

template <typename F> static inline F log1p_float(F x) {
    F u = 1.0f + x;
    F lost = u > 2.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    F f = __significand(u) - 1.0f;
    F k = __exponent(u);
    F result = k * 0.69140625f + (f + ((f * f) * log_series_float<F>(f) + (lost / u + k * 0.00174093056f)));
    result = x < __float_of_bits(0x7F800000) ? result : x;
    result = x == -1.0f ? __float_of_bits(0xFF800000) : result;
    return x == 0.0f ? x : result;
}

template <typename F> static inline F square_of_sum(F r, F low) { return r * r + (r + r) * low; }

template <typename F, typename I> static inline F sin_of_quarters_float(F r, F lower, I quadrant, uniform int ahead) {
    F z = r * r;
    F t = z * __lookup_eight(&quarter_terms[3][ahead], quadrant) + __lookup_eight(&quarter_terms[2][ahead], quadrant);
    t = z * (z * t + __lookup_eight(&quarter_terms[1][ahead], quadrant)) + __lookup_eight(&quarter_terms[0][ahead], quadrant);
    F rest = r * t + lower;
    F value = (quadrant & 1) != ahead ? (r * rest + 1.0f) : r - rest;
    return __float_of_bits(__bits(value) ^ __bits(__lookup_eight(&quarter_signs[ahead], quadrant)));
}

template <typename F, typename I, typename D, typename L, typename U> static inline F tan_float(F x) {
    F r, low;
    I quadrant = reduce_float<F, I, D, L, U>(abs(x), r, low);
    F z = square_of_sum<F>(r, low);
    F p = z * (z * (z * (z * (z * 0.00947746634f + 0.00295411143f) + 0.0245411936f) + 0.0533775277f) + 0.133392468f) + 0.333331376f;
    F rest = (r * z) * p + (low * z + low);
    F tangent = r + rest;
    // For odd quadrants minus the reciprocal, its rounding and that of the tangent made good.
    F tangent_low = rest - (tangent - r);
    F inverse = -1.0f / tangent;
    F error = inverse * tangent_low + near_fma<F>(inverse, tangent, 1.0f);
    F turned = inverse * error + inverse;
    F value = (quadrant & 1) != 0 ? turned : tangent;
    return __float_of_bits(__bits(value) ^ (__bits(x) & 0x80000000));
}

template <typename F, typename I> static inline F pow_positive_float(F a, F b, F extra) {
    I bits = (I)__bits(a);
    I above = bits - 0x3F3AAAAB;
    I interval = above >> 19;
    F z = __float_of_bits(bits - (above & 0xFF800000));
    F c = __lookup((uniform float * uniform)pow_reciprocals, interval);
    // f = c z - 1: whole is exact, part what c z lost in rounding.
    F near_one = c * z;
    F part = near_fma<F>(c, z, -near_one);
    F whole = near_one - 1.0f;
    F f = whole + part;
    F square = f * f;
    F p = square * (square * -0.212309733f + (f * 0.288719028f - 0.360710621f)) + (f * 0.480898321f - 0.721347511f);
    F linear = whole * 1.44269502f;
    F linear_low = part * 1.44269502f + (whole * 1.92596303e-8f + near_fma<F>(whole, 1.44269502f, -linear));
    F base = ((F)(above >> 23) + extra) + __lookup((uniform float * uniform)pow_logarithms, interval);
    F log_high = base + linear;
    F log_low = (linear - (log_high - base)) + linear_low +
        (square * p + __lookup((uniform float * uniform)pow_logarithm_rests, interval));
    F exponent = b * log_high;
    F exponent_low = b * log_low + near_fma<F>(b, log_high, -exponent);
    F bounded = __max((F)-160.0f, __min((F)160.0f, exponent));
    exponent_low = bounded == exponent ? exponent_low : (F)0.0f;
    F shifted = (bounded + exponent_low) + 12582912.0f;
    F r = (bounded - (shifted - 12582912.0f)) + exponent_low;
    F power = __scale_sum((F)1.0f, exp2_polynomial_float<F>(r), shifted);
    return a == 1.0f && extra == 0.0f ? (F)1.0f : power;
}

template <typename F, typename I> static inline F cbrt_float(F x) {
    F size = abs(x);
    F k = __exponent(size);
    F third = k * 0.333333343f + 12582912.0f;
    F a = __scale_sum(__significand(size), (F)0.0f, ((third - 12582912.0f) * -3.0f + k) + 12582912.0f);
    F t = __float_of_bits((I)((F)(I)__bits(a) * 0.333333343f) + 709958130);
    F cube = t * t * t;
    t = t * ((cube + 2.0f * a) / (2.0f * cube + a));
    t = __float_of_bits((I)__bits(t) & 0xFFFFF000);
    F ratio = a / (t * t);
    t = __copysign(__scale_sum(t, t * ((ratio - t) / (2.0f * t + ratio)), third), x);
    return x == 0.0f || !(size < __float_of_bits(0x7F800000)) ? x : t;
}

template <typename F> static inline F sinh_float(F x) {
    F size = abs(x), z = x * x;
    F p = z * (z * (z * 2.78392554e-6f + 0.000198426351f) + 0.00833331142f) + 0.166666672f;
    F half = half_exp_float<F>(size);
    F near = (x * z) * p + x, far = __copysign(half - 0.25f / half, x);
    return size < 1.0f ? near : far;
}

template <typename F> static inline F tanh_float(F x) {
    F doubled = __min((F)20.0f, 2.0f * abs(x));
    F shifted = doubled * 1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    F most = doubled - n * 0.693359375f;
    F power = __scale_sum((F)1.0f, (F)0.0f, shifted);
    F m = (most + expm1_curve_float<F>(most, n * 2.12194440e-4f)) * power + (power - 1.0f);
    // The quotient, with what the rounding of the divisor and of the quotient lost.
    F d = m + 2.0f;
    F inverse = 1.0f / d;
    F q = m * inverse;
    F d_low = __max(2.0f, m) - d + __min(2.0f, m);
    F rest = -q * d_low + near_fma<F>(-q, d, m);
    return __copysign(rest * inverse + q, x);
}

template <typename F, typename U> static inline F atan2_float(F y, F x) {
    F n = abs(y), d = abs(x);
    // Where one is NaN, both sides of the quotient get what is NaN.
    F least = __min(d, n), most = __max((F)1.40129846e-45f, __max(n, d));
    F quotient = least / most;
    F t = least == most ? (F)1.0f : quotient;
    F z = t * t;
    F u = z * z;
    F low = u * (z * 0.106792226f - 0.142142847f) + (z * 0.199941471f - 0.333331674f);
    F high = u * (z * 0.00297553698f - 0.0165850837f) + (z * 0.0435600914f - 0.0758115426f);
    F angle = (t * z) * ((u * u) * high + low) + t;
    U left = __bits(x) & 0x80000000;
    F axis = n > d ? (F)1.57079637f : __float_of_bits((U)0x40490FDB & (U)((int)left >> 31));
    U turned = n > d ? left ^ 0x80000000 : left;
    F part = __float_of_bits(__bits(angle) ^ turned);
    return __copysign(axis + (axis * -2.78275346e-8f + part), y);
}

template <typename F> static inline F atan_float(F x) {
    F size = abs(x);
    F inverse = 1.0f / size;
    F t = size > 1.0f ? inverse : size;
    F z = t * t;
    F u = z * z;
    F low = u * (z * 0.106792226f - 0.142142847f) + (z * 0.199941471f - 0.333331674f);
    F high = u * (z * 0.00297553698f - 0.0165850837f) + (z * 0.0435600914f - 0.0758115426f);
    F angle = (t * z) * ((u * u) * high + low) + t;
    return __copysign(size > 1.0f ? 1.57079637f - (angle + 4.37113883e-8f) : angle, x);
}

template <typename F> static inline F erf_near_float(F x) {
    F z = x * x;
    F y = z * z;
    F low = y * (z * -0.0268560778f + 0.112836279f) + (z * -0.376126289f + 0.128379166f);
    F high = y * (z * -1.38589735e-06f + 8.37591433e-05f) + (z * -0.000808809884f + 0.00519415271f);
    return x * ((y * y) * high + low) + x;
}

template <typename F, typename I> static inline F erf_float(F x) {
    F size = __min((F)3.98f, abs(x));
    F shifted = size * 1.88235295f + 12582912.0f;
    F t = (shifted - 12582912.0f) * -0.53125f + size;
    I piece = (I)__bits(shifted);
    F z = t * t;
    F low = t * __lookup_eight(&erf_pieces[2][0], piece) + __lookup_eight(&erf_pieces[1][0], piece);
    F middle = t * __lookup_eight(&erf_pieces[4][0], piece) + __lookup_eight(&erf_pieces[3][0], piece);
    F high = t * __lookup_eight(&erf_pieces[6][0], piece) + __lookup_eight(&erf_pieces[5][0], piece);
    F start = size < 0.265625f ? t : __lookup_eight(&erf_pieces[0][0], piece);
    return __copysign(t * (z * (z * high + middle) + low) + start, x);
}

template <typename F> static inline F erfc_tail_float(F size) {
    F x = __min((F)10.5f, size);
    F d = x + 3.0f;
    F d_low = x > 3.0f ? 3.0f - (d - x) : x - (d - 3.0f);
    F t = 1.0f / d;
    F t_error = near_fma<F>(-d, t, 1.0f) - d_low * t;
    F y = (x - 3.0f) * t;
    F y_low = y * t_error + near_fma<F>(x - 3.0f, t, -y);
    F z = y * y;
    F u = z * z;
    F high = z * (y * -0.000245890435f - 0.000391137408f) + (y * 0.00303594442f - 0.00128566159f);
    F low = z * (y * -0.0268320851f + 0.119540945f) + (y * -0.310466468f + 0.590227544f);
    // The polynomial and its product with t in double length; its derivative only roughly.
    F slope = y * (y * (u * high + low) - 0.88339448f);
    F p = 1.07400692f + slope;
    F p_low = y_low * (y * (y * -0.7f + 1.18f) - 0.88f) + (slope - (p - 1.07400692f));
    F ratio = p * t;
    F ratio_low = ratio * t_error + (p_low * t + near_fma<F>(p, t, -ratio));
    // e^-(x^2) = 2^n (1 + most + curve)
    F square = x * x;
    F shifted = square * -1.44269504f + 12582912.0f;
    F n = shifted - 12582912.0f;
    F rest = n * 2.12194440e-4f - near_fma<F>(x, x, -square);
    F most = -square - n * 0.693359375f;
    F curve = expm1_curve_float<F>(most, rest);
    return __scale_sum(ratio, ratio * most + (ratio * curve + (ratio_low * most + ratio_low)), shifted);
}
