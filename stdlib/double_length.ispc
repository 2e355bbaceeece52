// Arithmetic in double length, on sums of two numbers.

// What the rounding of a * b to product lost, known exactly: products of halves of 26 bits are exact (Dekker 1971).
template <typename D, typename U> static inline D product_error(D a, D b, D product) {
    D a_high = __float_of_bits(__bits(a) + 0x4000000 & ~(U)0x7FFFFFF), b_high = __float_of_bits(__bits(b) + 0x4000000 & ~(U)0x7FFFFFF);
    D a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

// z - s^2 of floats, where s^2 is nearly z: the square of the upper 12 bits is exact.
template <typename F> static inline F square_rest(F s, F z) {
    F high = __float_of_bits(__bits(s) & 0xFFFFF000);
    return (z - high * high) - (s - high) * (s + high);
}

// The same of floats, where finding out costs more than it is worth.
template <typename F> static inline F product_rest(F a, F b, F product) { return 0.0f; }

// a b - 1 of doubles, where that is a double and b has at most 26 digits.
template <typename D> static inline D product_less_one(D a, D b) {
    D high = __float_of_bits(__bits(a) & 0xFFFFFFFFF8000000);
    return (high * b - 1.0d) + (a - high) * b;
}

// 1 - a b of numbers, where that is nearly 0 and b has at most half of the digits.
template <typename F> static inline F one_less_product(F a, F b) {
    F high = __float_of_bits(__bits(a) & 0xFFFFF000);
    return (1.0f - high * b) - (a - high) * b;
}
template <typename F> static inline F one_less_product_double(F a, F b) {
    F high = __float_of_bits(__bits(a) & 0xFFFFFFFFF8000000);
    return (1.0d - high * b) - (a - high) * b;
}

// f - s (2 + f) of doubles, where s is the quotient of the others.
template <typename F> static inline F ratio_rest_double(F s, F f) {
    F d = __float_of_bits(__bits(2.0d + f) & 0xFFFFFFFFF8000000), high = __float_of_bits(__bits(s) & 0xFFFFFFFFF8000000);
    F d_low = f - (d - 2.0d);
    return ((f - high * d) - high * d_low) - (s - high) * (d + d_low);
}

// For --math-lib=fast: what 1/2 is counted in, such that a product that is larger than the sum stays finite, and that sum.
template <typename F> static inline F unit_of_sum_float() { return 0.125f; }
template <typename F> static inline F sum_in_units_float(F a, F b, F c) { return 2.0f * (a * b + c); }
