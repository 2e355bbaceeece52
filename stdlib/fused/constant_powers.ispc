// Powers by whole constants, where one instruction tells what a product lost.
//
// The last step or the last two are rounded, and what is not kept of the last square counts once, so that they lose less than two
// units together.

// The square of high + low, and that times a + a_low if n is odd.
template <typename F> static inline F last_of_power(F high, F low, F a, F a_low, uniform unsigned int n) {
    F square = high * high;
    if ((n & 1) == 0)
        return chosen_power<F>(__fma(high, high, (high + high) * low), square);
    return chosen_power<F>(__fma(square, a, high * __fma(high, a_low, (low + low) * a)), square * a);
}

// Of a + a_low.
template <typename F> static inline F power_of_sum(F a, F a_low, uniform unsigned int n) {
    F high = a, low = a_low;
    for (uniform unsigned int digit = 32; digit > 1; digit >>= 1) {
        if (2 * digit <= n) {
            F square = high * high;
            low = __fma(high + high, low, __fma(high, high, -square));
            high = square;
            if ((n & digit) != 0) {
                F product = high * a;
                low = __fma(low, a, __fma(high, a_low, __fma(high, a, -product)));
                high = product;
            }
        }
    }
    return last_of_power<F>(high, low, a, a_low, n);
}

// Of a, for n from 4 on: the first square loses what one operation tells.
template <typename F> static inline F power_of_number(F a, uniform unsigned int n) {
    F high = a * a;
    F low = __fma(a, a, -high);
    for (uniform unsigned int digit = 32; digit > 1; digit >>= 1) {
        if (4 * digit <= n) {
            F square = high * high;
            low = __fma(high + high, low, __fma(high, high, -square));
            high = square;
        }
        if (2 * digit <= n && (n & digit) != 0) {
            F product = high * a;
            low = __fma(low, a, __fma(high, a, -product));
            high = product;
        }
    }
    F square = high * high;
    if ((n & 1) == 0)
        return chosen_power<F>(__fma(high, high, (high + high) * low), square);
    return chosen_power<F>(__fma(square, a, high * ((low + low) * a)), square * a);
}

template <typename F, typename U, typename D> static inline F whole_power_float(F a, uniform unsigned int n) {
    return power_of_number<F>(a, n);
}

template <typename F, typename U, typename D> static inline F inverse_power_float(F a, uniform unsigned int n) {
    F inverse = 1.0f / a;
    return power_of_sum<F>(inverse, inverse * __fma(-a, inverse, 1.0f), n);
}

template <typename F, typename U> static inline F whole_power_double(F a, uniform unsigned int n) { return power_of_number<F>(a, n); }

template <typename F, typename U> static inline F inverse_power_double(F a, uniform unsigned int n) {
    F inverse = 1.0d / a;
    return power_of_sum<F>(inverse, inverse * __fma(-a, inverse, 1.0d), n);
}
