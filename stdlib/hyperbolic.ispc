// sinh, cosh, tanh: from half of e^|x|, which does not overflow before the result does; near zero odd polynomials.

template <typename F, typename I> static inline F sinh_float(F x) {
    F size = abs(x), z = x * x;
    F near = x + x * z * (0.166666666466f + z * (0.00833333967592f + z * (0.000198381019687f + z * 2.80628025823e-6f)));
    F half = exp_scaled_float<F, I>(size, (F)0.0f, (I)-1);
    return size < 1.0f ? near : __copysign(half - 0.25f / half, x);
}

template <typename F, typename I> static inline F sinh_double(F x) {
    F size = abs(x), z = x * x;
    F p = 0.1666666666666666666664d + z * (0.008333333333333333365752d + z * (0.0001984126984126977319739d +
        z * (0.000002755731922404033859821d + z * (2.505210836405804075134e-8d + z * (1.60590483963505616404e-10d +
        z * (7.646625361656657656309e-13d + z * 2.84452641698952856325e-15d))))));
    F half = exp_scaled_double<F, I>(size, (F)0.0d, (I)-1);
    return size < 1.0d ? x + x * z * p : __copysign(half - 0.25d / half, x);
}

float sinh(float x) { return sinh_float<float, int>(x); }
uniform float sinh(uniform float x) { return sinh_float<uniform float, uniform int>(x); }
double sinh(double x) { return sinh_double<double, int64>(x); }
uniform double sinh(uniform double x) { return sinh_double<uniform double, uniform int64>(x); }
float16 sinh(float16 x) { return (float16)sinh((float)x); }
uniform float16 sinh(uniform float16 x) { return (uniform float16)sinh((uniform float)x); }

template <typename F, typename I> static inline F cosh_float(F x) {
    F half = exp_scaled_float<F, I>(abs(x), (F)0.0f, (I)-1);
    return half + 0.25f / half;
}

template <typename F, typename I> static inline F cosh_double(F x) {
    F half = exp_scaled_double<F, I>(abs(x), (F)0.0d, (I)-1);
    return half + 0.25d / half;
}

float cosh(float x) { return cosh_float<float, int>(x); }
uniform float cosh(uniform float x) { return cosh_float<uniform float, uniform int>(x); }
double cosh(double x) { return cosh_double<double, int64>(x); }
uniform double cosh(uniform double x) { return cosh_double<uniform double, uniform int64>(x); }
float16 cosh(float16 x) { return (float16)cosh((float)x); }
uniform float16 cosh(uniform float16 x) { return (uniform float16)cosh((uniform float)x); }

// tanh |x| = 1 - 2 / (e^2|x| + 1); in double, where that cancels, -m / (m + 2) with m = e^-2|x| - 1.
template <typename F, typename I> static inline F tanh_float(F x) {
    F size = abs(x), z = x * x;
    F near = x + x * z * (-0.333333331494f + z * (0.133333001462f + z * (-0.0539584616275f + z * (0.0217625029074f +
        z * (-0.00832318705828f + z * 0.00226950168416f)))));
    F far = 1.0f - 2.0f / (exp_float<F, I>(2.0f * size) + 1.0f);
    return __copysign(size < 0.632f ? near : far, x);
}

template <typename F, typename I> static inline F tanh_double(F x) {
    F size = abs(x);
    F m = expm1_double<F, I>(size < 1.0d ? -2.0d * size : 2.0d * size);
    F value = size < 1.0d ? -m / (m + 2.0d) : 1.0d - 2.0d / (m + 2.0d);
    return __copysign(value, x);
}

float tanh(float x) { return tanh_float<float, int>(x); }
uniform float tanh(uniform float x) { return tanh_float<uniform float, uniform int>(x); }
double tanh(double x) { return tanh_double<double, int64>(x); }
uniform double tanh(uniform double x) { return tanh_double<uniform double, uniform int64>(x); }
float16 tanh(float16 x) { return (float16)tanh((float)x); }
uniform float16 tanh(uniform float16 x) { return (uniform float16)tanh((uniform float)x); }
