// cbrt without division: a^(-1/3) begins as a third of the exponent taken off a constant, good to 4 %. With e = 1 - a y^3 it is
// y (1 - e)^(-1/3), of which a polynomial in e is taken. a y^2 is the root then; the last step is Newton's, with a - t^3 in double
// length. Small numbers are multiplied by 2^96 (2^240) first, such that differences are normal, and the root by 2^-32 (2^-80).

// y (1 - e)^(-1/3) to 2^-18, for e up to 0.103.
template <typename F> static inline F inverse_cbrt_step(F a, F y) {
    F e = __fma(-(a * y), y * y, 1.0f);
    return __fma(y * e, __fma(e, __fma(e, 0.17471014f, 0.2234824f), 0.333327562f), y);
}

// The root of a from one of its inverse, y, that is good to half of the digits.
template <typename F> static inline F cbrt_from_inverse(F a, F y) {
    F w = y * y;
    F t = a * w;
    F square = t * t;
    F missing = __fma(-t, __fma(t, t, -square), __fma(-t, square, a));
    return __fma(missing * w, (F)(1.0d / 3.0d), t);
}

template <typename F, typename I> static inline F cbrt_float(F x) {
    F size = abs(x);
    F a = size * (size < 1.0e-21f ? (F)7.9228162514e28f : (F)1.0f);
    F y = __float_of_bits(0x54A1F000 - (I)((F)(I)__bits(a) * 0.333333343f));
    F root = cbrt_from_inverse<F>(a, inverse_cbrt_step<F>(a, y)) * (size < 1.0e-21f ? (F)2.3283064365e-10f : (F)1.0f);
    return size < __float_of_bits(0x7F800000) ? __copysign(root, x) : x;
}

template <typename F, typename I> static inline F cbrt_double(F x) {
    F size = abs(x);
    F a = size * (size < 1.0e-210d ? (F)1.7668470647783843e72d : (F)1.0d);
    F y = __float_of_bits(0x553EEA0000000000 - ((__bits(a) >> 32) * 0x55555556 & 0xFFFFFFFF00000000));
    y = inverse_cbrt_step<F>(a, y);
    y = __fma(y * __fma(-(a * y), y * y, 1.0d), 1.0d / 3.0d, y);
    F root = cbrt_from_inverse<F>(a, y) * (size < 1.0e-210d ? (F)8.271806125530277e-25d : (F)1.0d);
    return size < __float_of_bits(0x7FF0000000000000) ? __copysign(root, x) : x;
}
