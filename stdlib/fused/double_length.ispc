// What the rounding of a * b to product lost, where one instruction tells.
template <typename D, typename U> static inline D product_error(D a, D b, D product) { return __fma(a, b, -product); }
template <typename F> static inline F square_rest(F s, F z) { return __fma(-s, s, z); }
template <typename F> static inline F product_rest(F a, F b, F product) { return __fma(a, b, -product); }
template <typename D> static inline D product_less_one(D a, D b) { return __fma(a, b, -1.0d); }
template <typename F> static inline F one_less_product(F a, F b) { return __fma(-a, b, 1.0f); }
template <typename F> static inline F one_less_product_double(F a, F b) { return __fma(-a, b, 1.0d); }
template <typename F> static inline F ratio_rest_double(F s, F f) {
    F d = 2.0d + f;
    return __fma(-s, f - (d - 2.0d), __fma(-s, d, f));
}
template <typename F> static inline F unit_of_sum_float() { return 0.25f; }
template <typename F> static inline F sum_in_units_float(F a, F b, F c) { return __fma(a, b, c); }

template <typename F> static inline F rest_of_ln2_float(F x, F n, F &near) {
    near = __fma(n, -0.693147182f, x);
    return __fma(n, 1.90465421e-9f, near);
}
