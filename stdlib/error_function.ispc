// erf and erfc.
//
// Near zero erf x = x P(x^2). Elsewhere erfc x = e^(-x^2) P(y) / (x + k) with y = (x - k) / (x + k), which brings all x
// to a short interval. x^2 is split into the exact square of a shortened x and the rest, as its rounding error counts in
// the exponent.

template <typename F> static inline F erf_near_float(F x) {
    F z = x * x;
    return x + x * (0.12837916706f + z * (-0.37612638468f + z * (0.112837824952f + z * (-0.0268654307277f +
        z * (0.00522103180786f + z * (-0.000848408040554f + z * (0.000112659590256f + z * -9.66704457149e-6f)))))));
}

template <typename F, typename I> static inline F erfc_tail_float(F size) {
    F x = __min((F)11.0f, size);
    F t = 1.0f / (x + 2.0f);
    F y = (x - 2.0f) * t;
    F p = 1.02158270476f + y * (-0.687160669233f + y * (0.279472165255f + y * (-0.0364430638779f +
        y * (-0.0215120999932f + y * (0.00649220501167f + y * (0.00309601879619f + y * (-0.000916676985197f +
        y * (-0.000634639959864f + y * 0.000207134064869f))))))));
    F head = __float_of_bits((I)__bits(x) & 0xFFFFF000);
    return exp_scaled_float<F, I>(-head * head, (head - x) * (head + x), (I)0) * (p * t);
}

template <typename F> static inline F erf_near_double(F x) {
    F z = x * x;
    return x + x * (0.128379167095512573887d + z * (-0.3761263890318375200872d + z * (0.1128379167095508719779d +
        z * (-0.02686617064511844482586d + z * (0.005223977625222191870108d + z * (-0.0008548327001135946139603d +
        z * (0.0001205533154529411643245d + z * (-0.00001492558938382114287884d + z * (0.000001646038320985814867613d +
        z * (-1.633322934343369995819e-7d + z * (1.441387928909502885592e-8d + z * -9.502840894774705160656e-10d)))))))))));
}

template <typename F, typename I> static inline F erfc_tail_double(F size) {
    F x = __min((F)28.0d, size);
    F t = 1.0d / (x + 3.0d);
    F y = (x - 3.0d) * t;
    F q = 0.0001075615433475130452728d + y * (0.00003039842207442786852645d + y * (-0.00001747098559205981883941d +
        y * (-0.000004750039539358967739934d + y * (0.000002767224900594315844618d + y * (0.000001000118970814778174859d +
        y * (-4.126985734439470405578e-7d + y * (-2.33415486344046873352e-7d + y * (5.288901967975419235014e-8d +
        y * (4.759472526952953807673e-8d + y * (-5.686377475630250123564e-9d + y * -4.997719066970704422223e-9d))))))))));
    F p = 1.07400690708833970195d + y * (-0.8833944531698836693401d + y * (0.5902283571041018814088d +
        y * (-0.3104672619005613135234d + y * (0.1195277612872860251472d + y * (-0.02682723462473609628124d +
        y * (-0.001212416627020690999676d + y * (0.00303406200595192646718d + y * (-0.0005483096961604028797394d +
        y * (-0.0002767778928154889119492d + y * q)))))))));
    F head = __float_of_bits((I)__bits(x) & 0xFFFFFFFFF8000000);
    return exp_scaled_double<F, I>(-head * head, (head - x) * (head + x), (I)0) * (p * t);
}

template <typename F, typename I> static inline F erf_float(F x) {
    F size = abs(x);
    return size < 1.0f ? erf_near_float<F>(x) : __copysign(1.0f - erfc_tail_float<F, I>(size), x);
}

template <typename F, typename I> static inline F erf_double(F x) {
    F size = abs(x);
    return size < 0.75d ? erf_near_double<F>(x) : __copysign(1.0d - erfc_tail_double<F, I>(size), x);
}

template <typename F, typename I> static inline F erfc_float(F x) {
    F tail = erfc_tail_float<F, I>(abs(x));
    F far = x < 0.0f ? 2.0f - tail : tail;
    return abs(x) < 0.75f ? 1.0f - erf_near_float<F>(x) : far;
}

template <typename F, typename I> static inline F erfc_double(F x) {
    F tail = erfc_tail_double<F, I>(abs(x));
    F far = x < 0.0d ? 2.0d - tail : tail;
    return abs(x) < 0.75d ? 1.0d - erf_near_double<F>(x) : far;
}

float erf(float x) { return erf_float<float, int>(x); }
uniform float erf(uniform float x) { return erf_float<uniform float, uniform int>(x); }
double erf(double x) { return erf_double<double, int64>(x); }
uniform double erf(uniform double x) { return erf_double<uniform double, uniform int64>(x); }
float16 erf(float16 x) { return (float16)erf((float)x); }
uniform float16 erf(uniform float16 x) { return (uniform float16)erf((uniform float)x); }
float erfc(float x) { return erfc_float<float, int>(x); }
uniform float erfc(uniform float x) { return erfc_float<uniform float, uniform int>(x); }
double erfc(double x) { return erfc_double<double, int64>(x); }
uniform double erfc(uniform double x) { return erfc_double<uniform double, uniform int64>(x); }
float16 erfc(float16 x) { return (float16)erfc((float)x); }
uniform float16 erfc(uniform float16 x) { return (uniform float16)erfc((uniform float)x); }
