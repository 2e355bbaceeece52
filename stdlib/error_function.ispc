// erf and erfc.
//
// Near zero erf x = x P(x^2). Elsewhere erfc x = e^(-x^2) P(y) / (x + k) with y = (x - k) / (x + k), which brings all x
// to a short interval. x^2 is taken in double length, as its rounding error counts in the exponent. erf and e^(x^2) erfc x of float
// are polynomials around one of eight centres, where nothing is divided.

// erf c for the centres c = 0.53414392 k, then the coefficients of P in erf(c + t) = erf c + t P(t); around zero t + t P(t). The
// distance is one at which erf c and its slope are nearly floats for the first centres (Gal 1986). From 3.98 on it is 1.
static const uniform float erf_pieces[8][8] = {
    {0.0f, 0.549987137f, 0.869157314f, 0.976559699f,
     0.99748534f, 0.999841273f, 0.999994159f, 0.999999881f},
    {0.128379166f, 0.848294437f, 0.3604303f, 0.0865523964f,
     0.0117468107f, 0.000901039864f, 3.90616988e-05f, 9.57064913e-07f},
    {2.12462041e-07f, -0.453110814f, -0.385043651f, -0.138698757f,
     -0.0250924695f, -0.00241196412f, -0.000123063524f, -4.7415042e-06f},
    {-0.376134843f, -0.121415615f, 0.154081151f, 0.119314142f,
     0.0318335593f, 0.00398423104f, 0.000254453742f, 8.6013797e-06f},
    {0.000123521313f, 0.18341583f, 0.0460764654f, -0.0491962023f,
     -0.025850419f, -0.00431160303f, -0.000444909208f, 2.85364094e-05f},
    {0.112044014f, -0.00269570155f, -0.0658957437f, -0.00414144667f,
     0.0123629654f, 0.00363245653f, 0.000392710179f, 1.96450328e-05f},
    {0.00216428027f, -0.0472130813f, 0.0104357265f, 0.0137275588f,
     9.73401111e-05f, -0.0039567668f, 0.000405759725f, -0.000426579412f},
    {-0.0284494534f, 0.00711660273f, 0.0121536413f, -0.00602115458f,
     -0.0017592652f, 0.000663694984f, 0.000205168864f, 1.82019958e-05f}
};

template <typename F, typename I> static inline F erf_float(F x) {
    F size = __min((F)3.98f, abs(x));
    F shifted = __mad(size, 1.8721546f, 12582912.0f);
    F t = __mad(shifted - 12582912.0f, -0.534143925f, size);
    I piece = (I)__bits(shifted);
    F z = t * t;
    F slope = __lookup_eight(&erf_pieces[1][0], piece);
    F middle = __mad(t, __lookup_eight(&erf_pieces[4][0], piece), __lookup_eight(&erf_pieces[3][0], piece));
    F high = __mad(t, __mad(t, __lookup_eight(&erf_pieces[7][0], piece), __lookup_eight(&erf_pieces[6][0], piece)), __lookup_eight(&erf_pieces[5][0], piece));
    F centre = __lookup_eight(&erf_pieces[0][0], piece);
    F start = shifted == 12582912.0f ? t : centre;
    // The first two terms in double length, as far as the product's rounding is known.
    F linear = t * slope;
    F sum = start + linear;
    F rest = linear - (sum - start) + product_rest<F>(t, slope, linear);
    F curve = __mad(t, __mad(z, high, middle), __lookup_eight(&erf_pieces[2][0], piece));
    return with_sign_float<F>(sum + __mad(z, curve, rest), x);
}

// By the upper bits of 1 + |x|, modulo 8, the centre c, e^(c^2) erfc c and the coefficients of P in e^(x^2) erfc x = e^(c^2) erfc c + t P(t) with
// t = x - c. Centres are such that the values there, and their slopes, nearly, are floats (Gal 1986).
static const uniform float erfc_pieces[10][8] = {
    {1.49511719f, 2.49023438f, 4.00830078f, 5.97216797f,
     8.76196289f, 0.0f, 0.249633789f, 0.744262695f},
    {0.322386175f, 0.211534798f, 0.136731163f, 0.0931976065f,
     0.06397935f, 0.0f, 0.770618796f, 0.509056449f},
    {-0.164368942f, -0.0748367161f, -0.0322599113f, -0.0151956454f,
     -0.00720978668f, 0.0f, -0.743634164f, -0.370635718f},
    {0.0766353756f, 0.0251738355f, 0.00742371893f, 0.00244666217f,
     0.000807462144f, 0.0f, 0.584982514f, 0.233206004f},
    {-0.0331936963f, -0.00809864234f, -0.00166900153f, -0.000389186374f,
     -8.98869548e-05f, 0.0f, -0.398405194f, -0.131379366f},
    {0.0135032143f, 0.00250316435f, 0.000367071974f, 6.11761643e-05f,
     9.94735547e-06f, 0.0f, 0.242770046f, 0.0677201524f},
    {-0.00519543886f, -0.000745845144f, -7.88323741e-05f, -9.50890808e-06f,
     -1.09189693e-06f, 0.0f, -0.134990036f, -0.0323933065f},
    {0.00191041315f, 0.000215100968f, 1.66421687e-05f, 1.47611161e-06f,
     1.19083097e-07f, 0.0f, 0.0694992393f, 0.0143651012f},
    {-0.0007093366f, -6.20840074e-05f, -3.79110998e-06f, -2.29446201e-07f,
     -1.40652121e-08f, 0.0f, -0.0353815556f, -0.00623237994f},
    {0.000231448183f, 1.65355923e-05f, 7.78440437e-07f, 2.74936376e-08f,
     1.57186886e-09f, 0.0f, 0.0170693547f, 0.00370726292f}
};

// (a + b) 2^n, with n as the low bits of `shifted`; for arguments below zero it is taken off 2.
template <typename F> static inline F tail_or_rest_float(F a, F b, F shifted, F argument) {
    F tail = __scale_sum(a, b, shifted);
    return __bits(argument) >= 0x80000000 ? 2.0f - tail : tail;
}

template <typename F, typename I, typename D, typename U> static inline F erfc_float(F argument) {
    F x = __min((F)10.5f, abs(argument));
    I piece = (I)__bits(x + 1.0f) >> 22;
    F t = x - __lookup_eight(&erfc_pieces[0][0], piece);
    F z = t * t;
    F low = __fma(t, __lookup_eight(&erfc_pieces[4][0], piece), __lookup_eight(&erfc_pieces[3][0], piece));
    F middle = __fma(t, __lookup_eight(&erfc_pieces[6][0], piece), __lookup_eight(&erfc_pieces[5][0], piece));
    F high = __fma(t, __lookup_eight(&erfc_pieces[8][0], piece), __lookup_eight(&erfc_pieces[7][0], piece));
    F p = __fma(z, __fma(z, __fma(z, __lookup_eight(&erfc_pieces[9][0], piece), high), middle), low);
    // The first two terms in double length.
    F start = __lookup_eight(&erfc_pieces[1][0], piece), slope = __lookup_eight(&erfc_pieces[2][0], piece);
    F ratio = __fma(t, slope, start);
    F ratio_low = __fma(z, p, __fma(t, slope, start - ratio));
    // e^-(x^2) = 2^n (1 + most + curve)
    F square = x * x;
    F shifted = __fma(square, -1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F rest = __fma(n, 1.90465421e-9f, __fma(-x, x, square));
    F most = __fma(n, -0.693147182f, -square);
    F curve = exp_curve_float<F>(most, rest);
    F sum = __fma(ratio, most, ratio);
    F sum_low = __fma(ratio, most, ratio - sum);
    F rest_of_sum = __fma(ratio + ratio_low, curve, __fma(ratio_low, 1.0f + most, sum_low));
    return tail_or_rest_float<F>(sum, rest_of_sum, shifted, argument);
}

// For double up to 6, erf(c + t) = erf c + s t B and erfc(c + t) = erfc c - s t B from a table of erf c, erfc c and their slope s for 512
// c, n times a distance. B, the mean of e^-(2 c w + w^2) for w from 0 to t, is a polynomial in n t and t^2, fitted in both by Lawson's
// iteration.
template <typename F, typename U> static inline F nearest_centre_double(F size, U &index) {
    F shifted = __mad(size, 85.33315545836483d, 6755399441055744.0d);
    index = __bits(shifted) & 511;
    return shifted - 6755399441055744.0d;
}

// erfc x for large x.
template <typename F, typename U> static noinline F erfc_tail_double(F size) {
    F x = __min((F)28.0d, size);
    F d = x + 3.0d;
    F d_low = x - (d - 3.0d);
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

template <typename F, typename U> static inline F erf_double(F x) {
    U index;
    F size = __min((F)5.988d, abs(x));
    F n = nearest_centre_double<F, U>(size, index);
    F t = __mad(n, -0.01171877465048965d, size);
    F u = n * t, v = t * t;
    F w = u * u;
    F low = __mad(w, __mad(w, __mad(u, -9.734588216840546e-12d, 2.5146840243252695e-09d), __mad(u, -5.364450886769579e-07d,
        9.155311963103394e-05d)), u * -0.01171877465049663d);
    F high = __mad(w, __mad(u, 3.5303018912564164e-07d, -5.493490568589515e-05d), __mad(u, 0.005859387162781064d,
        -0.33333333332122733d));
    F bend = __mad(v, __mad(v, __mad(u, -0.0019398877254726374d, 0.09999886108888462d), high), low);
    F start = erf_rows[4 * index], slope = erf_rows[4 * index + 1];
    return with_sign_double<F>(__mad(slope, __mad(t, bend, t), start), x);
}

template <typename F, typename U> static inline F erfc_double(F x) {
    U index;
    F size = __min((F)5.988d, abs(x));
    F n = nearest_centre_double<F, U>(size, index);
    F t = __mad(n, -0.01171877465048965d, size);
    F u = n * t, v = t * t;
    F w = u * u;
    F low = __mad(w, __mad(w, __mad(w, __mad(u, -8.539508048986767e-17d, 3.289048930000481e-14d), __mad(u, -9.822593447563143e-12d,
        2.5145920839770007e-09d)), __mad(u, -5.36445189012701e-07d, 9.155311953930004e-05d)), u * -0.011718774650487514d);
    F middle = __mad(w, __mad(w, -1.795493730476138e-09d, __mad(u, 3.576807977730621e-07d, -5.493186558835798e-05d)), __mad(u,
        0.005859387162489136d, -0.33333333332122733d));
    F high = __mad(w, 1.9417617584382598e-05d, __mad(u, -0.0019516289586781635d, 0.09999886108888342d));
    F bend = __mad(v, __mad(v, high, middle), low);
    F tail = __mad(erf_rows[4 * index + 1], -__mad(t, bend, t), erf_rows[4 * index + 2]);
    F value = x < 0.0d ? 2.0d - tail : tail;
    if (x > 5.988d)
        value = erfc_tail_double<F, U>(x);
    return value;
}

float erf(float x) { return erf_float<float, int>(x); }
uniform float erf(uniform float x) { return erf_float<uniform float, uniform int>(x); }
double erf(double x) { return erf_double<double, uint64>(x); }
uniform double erf(uniform double x) { return erf_double<uniform double, uniform uint64>(x); }
float16 erf(float16 x) { return (float16)erf((float)x); }
uniform float16 erf(uniform float16 x) { return (uniform float16)erf((uniform float)x); }
float erfc(float x) { return erfc_float<float, int, double, uint64>(x); }
uniform float erfc(uniform float x) { return erfc_float<uniform float, uniform int, uniform double, uniform uint64>(x); }
double erfc(double x) { return erfc_double<double, uint64>(x); }
uniform double erfc(uniform double x) { return erfc_double<uniform double, uniform uint64>(x); }
float16 erfc(float16 x) { return (float16)erfc((float)x); }
uniform float16 erfc(uniform float16 x) { return (uniform float16)erfc((uniform float)x); }
