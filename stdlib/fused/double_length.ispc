// What the rounding of a * b to product lost, where one instruction tells.
template <typename D, typename U> static inline D product_error(D a, D b, D product) { return __fma(a, b, -product); }
