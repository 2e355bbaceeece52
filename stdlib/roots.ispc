// cbrt.
//

// Of float nothing is divided: y, about a^(-1/3), begins as a third of the exponent taken off a constant, good to 4 %, with 12 digits. The
// rounding of t = a y^2 counts a third, as a = t^(1/3) (t y)^(-2/3), and with e = 1 - t y, exactly, the root is t (1 - e)^(-2/3), of
// which a polynomial in e is taken. Where a is not normal, e is out of its range.
template <typename F, typename I> static inline F cbrt_of_size_float(F a, F &e) {
    F y = __float_of_bits(0x54A1F000 - (I)((F)(I)__bits(a) * 0.333333343f) & 0xFFFFF000);
    F t = a * (y * y);
    e = one_less_product<F>(t, y);
    F z = e * e;
    F p = __mad(z, __mad(z, __mad(e, 0.405032337f, 0.430812001f), __mad(e, 0.452648968f, 0.493775666f)), __mad(e, 0.555555582f,
        0.666666746f));
    return __mad(t * e, p, t);
}

// Subnormal numbers, infinity and NaN.
template <typename F, typename I> static noinline F cbrt_at_ends_float(F x) {
    F e, size = abs(x);
    F root = cbrt_of_size_float<F, I>(size * 7.9228162514e28f, e) * 2.3283064365e-10f;
    return size < __float_of_bits(0x7F800000) ? __copysign(root, x) : x;
}

template <typename F, typename I> static inline F cbrt_float(F x) {
    F e;
    F root = cbrt_of_size_float<F, I>(abs(x), e);
    root = __float_of_bits(__bits(root) | __bits(x) & 0x80000000);
    if (!(abs(e) < 0.105f)) {
        if (x != 0.0f)
            root = cbrt_at_ends_float<F, I>(x);
    }
    return root;
}

// For double y is brought to 18 digits by (1 - e)^(-1/3) first, and has 26.
template <typename F> static inline F cbrt_of_size_double(F a, F &e) {
    F y = __float_of_bits(0x553EEA0000000000 - ((__bits(a) >> 32) * 0x55555556 & 0xFFFFFFFF00000000));
    F d = 1.0d - (a * y) * (y * y);
    y = __mad(y * d, __mad(d, __mad(d, 0.17470367156459563d, 0.22348254165487855d), 0.3333275869593784d), y);
    y = __float_of_bits(__bits(y) & 0xFFFFFFFFF8000000);
    F t = a * (y * y);
    e = one_less_product_double<F>(t, y);
    return __mad(t * e, __mad(e, __mad(e, 0.49382721016978876d, 0.5555555558930892d), 0.6666666666666666d), t);
}

template <typename F> static noinline F cbrt_at_ends_double(F x) {
    F e, size = abs(x);
    F root = cbrt_of_size_double<F>(size * 1.7668470647783843e72d, e) * 8.271806125530277e-25d;
    return size < __float_of_bits(0x7FF0000000000000) ? __copysign(root, x) : x;
}

template <typename F> static inline F cbrt_double(F x) {
    F e;
    F root = cbrt_of_size_double<F>(abs(x), e);
    root = __float_of_bits(__bits(root) | __bits(x) & 0x8000000000000000);
    if (!(abs(e) < 3.0e-5d)) {
        if (x != 0.0d)
            root = cbrt_at_ends_double<F>(x);
    }
    return root;
}

float cbrt(float x) { return cbrt_float<float, int>(x); }
uniform float cbrt(uniform float x) { return cbrt_float<uniform float, uniform int>(x); }
double cbrt(double x) { return cbrt_double<double>(x); }
uniform double cbrt(uniform double x) { return cbrt_double<uniform double>(x); }
