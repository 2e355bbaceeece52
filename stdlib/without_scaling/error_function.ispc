// The end of erfc of float for processors without an instruction that scales by powers of two.

// n is from -160 to 0, so 2^(n + 64) is normal, and 2^-64 rounds where the result is not.
template <typename F> static inline F tail_or_rest_float(F a, F b, F shifted, F argument) {
    F tail = (a + b) * __float_of_bits((__bits(shifted) << 23) + 0x5F800000);
    return __fma(tail, with_sign_float<F>((F)5.42101086e-20f, argument), 1.0f - with_sign_float<F>((F)1.0f, argument));
}
