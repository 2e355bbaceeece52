// erf and erfc.
//
// Near zero erf x = x P(x^2). Elsewhere erfc x = e^(-x^2) P(y) / (x + k) with y = (x - k) / (x + k), which brings all x
// to a short interval. x^2 is taken in double length, as its rounding error counts in the exponent. erf of float is a
// polynomial around one of eight centres.

template <typename F> static inline F erf_near_float(F x) {
    F z = x * x;
    F y = z * z;
    F low = __mad(y, __mad(z, -0.0268560778f, 0.112836279f), __mad(z, -0.376126289f, 0.128379166f));
    F high = __mad(y, __mad(z, -1.38589735e-06f, 8.37591433e-05f), __mad(z, -0.000808809884f, 0.00519415271f));
    return __mad(x, __mad(y * y, high, low), x);
}

// erf c for the centres c = 17/32 k, then the coefficients of P in erf(c + t) = erf c + t P(t); around zero t + t P(t).
// From 3.98 on it is 1.
static const uniform float erf_pieces[7][8] = {
    {0.0f, 0.547528446f, 0.867058277f, 0.975797713f,
     0.997345984f, 0.999827683f, 0.999993443f, 0.999999881f},
    {0.128379166f, 0.85091418f, 0.364903331f, 0.0889875069f,
     0.0123407524f, 0.000973263639f, 4.36550763e-05f, 1.11387271e-06f},
    {-7.15402905e-07f, -0.452047884f, -0.387710273f, -0.14182426f,
     -0.0262240991f, -0.00258516334f, -0.00013913562f, -4.14097349e-06f},
    {-0.376085222f, -0.123569913f, 0.15294072f, 0.121050797f,
     0.0330454558f, 0.0042505716f, 0.000280160923f, 9.80612822e-06f},
    {-0.000736543676f, 0.183467165f, 0.0480157547f, -0.0491616838f,
     -0.0263709482f, -0.00478745531f, -0.000400892575f, -1.69122432e-05f},
    {0.118544951f, -0.00099796732f, -0.0647609532f, -0.00568479393f,
     0.0122640003f, 0.00389361521f, 0.000454338326f, 2.47743174e-05f},
    {-0.020134408f, -0.0475473255f, 0.00967332162f, 0.0156085566f,
     -0.00161002972f, -0.00209708977f, -0.000362298451f, -2.52059526e-05f}
};

template <typename F, typename I> static inline F erf_float(F x) {
    F size = __min((F)3.98f, abs(x));
    F shifted = __mad(size, 1.88235295f, 12582912.0f);
    F t = __mad(shifted - 12582912.0f, -0.53125f, size);
    I piece = (I)__bits(shifted);
    F z = t * t;
    F low = __mad(t, __lookup_eight(&erf_pieces[2][0], piece), __lookup_eight(&erf_pieces[1][0], piece));
    F middle = __mad(t, __lookup_eight(&erf_pieces[4][0], piece), __lookup_eight(&erf_pieces[3][0], piece));
    F high = __mad(t, __lookup_eight(&erf_pieces[6][0], piece), __lookup_eight(&erf_pieces[5][0], piece));
    F start = shifted == 12582912.0f ? t : __lookup_eight(&erf_pieces[0][0], piece);
    return __copysign(__mad(t, __mad(z, __mad(z, high, middle), low), start), x);
}

template <typename F, typename D> static inline F erfc_tail_float(F size) {
    F x = __min((F)10.5f, size);
    F d = x + 3.0f;
    F d_low = x > 3.0f ? 3.0f - (d - x) : x - (d - 3.0f);
    F t = 1.0f / d;
    F t_error = __fma(-d, t, 1.0f) - d_low * t;
    F y = (x - 3.0f) * t;
    F y_low = __fma(y, t_error, __fma(x - 3.0f, t, -y));
    F z = y * y;
    F u = z * z;
    F high = __fma(z, __fma(y, -0.000245890435f, -0.000391137408f), __fma(y, 0.00303594442f, -0.00128566159f));
    F low = __fma(z, __fma(y, -0.0268320851f, 0.119540945f), __fma(y, -0.310466468f, 0.590227544f));
    // The polynomial and its product with t in double length; its derivative only roughly.
    F slope = y * __fma(y, __fma(u, high, low), -0.88339448f);
    F p = 1.07400692f + slope;
    F p_low = __fma(y_low, __fma(y, __fma(y, -0.7f, 1.18f), -0.88f), slope - (p - 1.07400692f));
    F ratio = p * t;
    F ratio_low = __fma(ratio, t_error, __fma(p_low, t, __fma(p, t, -ratio)));
    // e^-(x^2) = 2^n (1 + most + curve)
    F square = x * x;
    F shifted = __fma(square, -1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F rest = n * 1.90465421e-9f - __fma(x, x, -square);
    F most = __fma(n, -0.693147182f, -square);
    F curve = expm1_curve_float<F>(most, rest);
    return __scale_sum(ratio, __fma(ratio, most, __fma(ratio, curve, __fma(ratio_low, most, ratio_low))), shifted);
}

template <typename F> static inline F erf_near_double(F x) {
    F z = x * x;
    F y = z * z;
    F p = __mad(y, __mad(y, __mad(y, __mad(y, __mad(y, __mad(z, -9.502840894774705160656e-10d, 1.441387928909502885592e-8d),
        __mad(z, -1.633322934343369995819e-7d, 0.000001646038320985814867613d)), __mad(z, -0.00001492558938382114287884d,
        0.0001205533154529411643245d)), __mad(z, -0.0008548327001135946139603d, 0.005223977625222191870108d)), __mad(z,
        -0.02686617064511844482586d, 0.1128379167095508719779d)), __mad(z, -0.3761263890318375200872d,
        0.128379167095512573887d));
    return __mad(x, p, x);
}

template <typename F, typename U> static inline F erfc_tail_double(F size) {
    F x = __min((F)28.0d, size);
    F d = x + 3.0d;
    F d_low = x > 3.0d ? 3.0d - (d - x) : x - (d - 3.0d);
    F t = 1.0d / d;
    F unit = d * t;
    F t_error = ((1.0d - unit) - product_error<F, U>(d, t, unit)) - d_low * t;
    F y = (x - 3.0d) * t;
    F y_low = __mad(y, t_error, product_error<F, U>(x - 3.0d, t, y));
    F z = y * y;
    F bend = y * __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(y, -4.997719066970704422223e-9d,
        -5.686377475630250123564e-9d), __mad(y, 4.759472526952953807673e-8d, 5.288901967975419235014e-8d)), __mad(y,
        -2.33415486344046873352e-7d, -4.126985734439470405578e-7d)), __mad(y, 0.000001000118970814778174859d,
        0.000002767224900594315844618d)), __mad(y, -0.000004750039539358967739934d, -0.00001747098559205981883941d)), __mad(y,
        0.00003039842207442786852645d, 0.0001075615433475130452728d)), __mad(y, -0.0002767778928154889119492d,
        -0.0005483096961604028797394d)), __mad(y, 0.00303406200595192646718d, -0.001212416627020690999676d)), __mad(y,
        -0.02682723462473609628124d, 0.1195277612872860251472d)), __mad(y, -0.3104672619005613135234d,
        0.5902283571041018814088d));
    F steep = -0.8833944531698836693401d + bend;
    F slope = y * steep;
    F slope_low = product_error<F, U>(y, steep, slope) + y * (bend - (steep + 0.8833944531698836693401d));
    F p = 1.07400690708833970195d + slope;
    // What the first coefficients lost in rounding counts, too.
    F lost = -8.86402e-17d + y * (-3.8235e-17d + y * -4.91437e-17d);
    F p_low = (slope - (p - 1.07400690708833970195d)) + (slope_low + lost + y_low * (y * (1.18d - 0.7d * y) - 0.88d));
    F ratio = p * t;
    F ratio_low = product_error<F, U>(p, t, ratio) + p_low * t + ratio * t_error;
    // e^-(x^2) = 2^n (1 + r + curve)
    F r, low;
    F square = x * x;
    F shifted = exp_reduced_double<F>(-square, r, low);
    F square_low = product_error<F, U>(x, x, square);
    F most = r - square_low;
    F curve = exp_curve_double<F>(most, low + ((r - most) - square_low));
    F part = ratio * most;
    F rest = __mad(ratio_low, most, ratio_low) + product_error<F, U>(ratio, most, part);
    F total = ratio + (part + __mad(ratio, curve, rest));
    return scale_double<F>(total, shifted);
}

// The same, nearly, for 1 - erfc x where erfc x is below 1/3: what the rounding of 1 / (x + 3) loses is made good up to 3.
template <typename F, typename U> static inline F erfc_rough_double(F size) {
    F x = __min((F)6.5d, size);
    F d = x + 3.0d;
    F t = 1.0d / d;
    F unit = d * t;
    F t_error = ((1.0d - unit) - product_error<F, U>(d, t, unit)) - (x - (d - 3.0d)) * t;
    F y = __mad(t, -6.0d, 1.0d);
    F z = y * y;
    F p = __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, __mad(y,
        -4.997719066970704422223e-9d, -5.686377475630250123564e-9d), __mad(y, 4.759472526952953807673e-8d,
        5.288901967975419235014e-8d)), __mad(y, -2.33415486344046873352e-7d, -4.126985734439470405578e-7d)), __mad(y,
        0.000001000118970814778174859d, 0.000002767224900594315844618d)), __mad(y, -0.000004750039539358967739934d,
        -0.00001747098559205981883941d)), __mad(y, 0.00003039842207442786852645d, 0.0001075615433475130452728d)), __mad(y,
        -0.0002767778928154889119492d, -0.0005483096961604028797394d)), __mad(y, 0.00303406200595192646718d,
        -0.001212416627020690999676d)), __mad(y, -0.02682723462473609628124d, 0.1195277612872860251472d)), __mad(y,
        -0.3104672619005613135234d, 0.5902283571041018814088d)), __mad(y, -0.8833944531698836693401d,
        1.07400690708833970195d));
    F r, low;
    F square = x * x;
    F shifted = exp_reduced_double<F>(-square, r, low);
    F ratio = p * t;
    F e = r + exp_curve_double<F>(r, low);
    F rest = t * t_error * __mad(t, 5.3d - 7.1d * y, p);
    return scale_double<F>(ratio + __mad(ratio, e, rest), shifted);
}

template <typename F, typename U> static inline F erf_double(F x) {
    F size = abs(x);
    F near = erf_near_double<F>(x), far = __copysign(1.0d - erfc_rough_double<F, U>(size), x);
    return size < 0.75d ? near : far;
}

template <typename F, typename D> static inline F erfc_float(F x) {
    F tail = erfc_tail_float<F, D>(abs(x)), near = 1.0f - erf_near_float<F>(x);
    F far = x < 0.0f ? 2.0f - tail : tail;
    return abs(x) < 0.72f ? near : far;
}

template <typename F, typename U> static inline F erfc_double(F x) {
    F tail = erfc_tail_double<F, U>(abs(x));
    F far = x < 0.0d ? 2.0d - tail : tail;
    return abs(x) < 0.75d ? 1.0d - erf_near_double<F>(x) : far;
}

float erf(float x) { return erf_float<float, int>(x); }
uniform float erf(uniform float x) { return erf_float<uniform float, uniform int>(x); }
double erf(double x) { return erf_double<double, uint64>(x); }
uniform double erf(uniform double x) { return erf_double<uniform double, uniform uint64>(x); }
float16 erf(float16 x) { return (float16)erf((float)x); }
uniform float16 erf(uniform float16 x) { return (uniform float16)erf((uniform float)x); }
float erfc(float x) { return erfc_float<float, double>(x); }
uniform float erfc(uniform float x) { return erfc_float<uniform float, uniform double>(x); }
double erfc(double x) { return erfc_double<double, uint64>(x); }
uniform double erfc(uniform double x) { return erfc_double<uniform double, uniform uint64>(x); }
float16 erfc(float16 x) { return (float16)erfc((float)x); }
uniform float16 erfc(uniform float16 x) { return (uniform float16)erfc((uniform float)x); }
