// pow where an argument is a constant: power_to_3(a) is pow(a, 3), power_to_minus_0_5(a) is pow(a, -0.5), power_to_whole(a, 7) is
// pow(a, 7), power_of_10(b) is pow(10, b). The attribute by_constant of pow leads here.

// Those that few operations give. Adding zero makes -0 zero.
#define FEW_OPERATIONS(T, INFINITY) \
    static inline T power_to_2(T a) { return a * a; } \
    static inline T power_to_3(T a) { return a * a * a; } \
    static inline T power_to_4(T a) { T square = a * a; return square * square; } \
    static inline T power_to_minus_1(T a) { return 1 / a; } \
    static inline T power_to_minus_2(T a) { T inverse = 1 / a; return inverse * inverse; } \
    static inline T power_to_0_25(T a) { return a == -INFINITY ? (T)INFINITY : __sqrt(__sqrt(a + 0)); } \
    static inline T power_to_0_5(T a) { return a == -INFINITY ? (T)INFINITY : __sqrt(a + 0); } \
    static inline T power_to_1_5(T a) { return a == -INFINITY ? (T)INFINITY : (a + 0) * __sqrt(a + 0); } \
    static inline T power_to_minus_0_5(T a) { return a == -INFINITY ? (T)0 : 1 / __sqrt(a + 0); }
FEW_OPERATIONS(varying float, __float_of_bits(0x7F800000))
FEW_OPERATIONS(uniform float, __float_of_bits(0x7F800000))
FEW_OPERATIONS(varying double, __float_of_bits(0x7FF0000000000000))
FEW_OPERATIONS(uniform double, __float_of_bits(0x7FF0000000000000))

// From the highest digit of n on, of which there are at most seven: the square for each one behind it, and the product with a for
// those that are 1.
template <typename F, typename U, typename D> static inline F whole_power_float(F a, uniform unsigned int n) {
    D factor = (D)a;
    D power = factor;
    for (uniform unsigned int digit = 32; digit != 0; digit >>= 1) {
        if (2 * digit <= n) {
            power *= power;
            if ((n & digit) != 0)
                power *= factor;
        }
    }
    return (F)power;
}

template <typename F, typename U, typename D> static inline F inverse_power_float(F a, uniform unsigned int n) {
    D factor = (D)a;
    D power = factor;
    for (uniform unsigned int digit = 32; digit != 0; digit >>= 1) {
        if (2 * digit <= n) {
            power *= power;
            if ((n & digit) != 0)
                power *= factor;
        }
    }
    return (F)(1.0d / power);
}

// Where the products alone are zero, infinity or NaN they are right: what they lost is not known there, or has another sign.
template <typename F> static inline F chosen_power(F power, F products) {
    F twice = products + products;
    return twice < products || twice > products ? power : products;
}

// In double length: high + low.
template <typename F, typename U> static inline F power_in_double_length(F a, F a_low, uniform unsigned int n) {
    F high = a, low = a_low;
    for (uniform unsigned int digit = 32; digit != 0; digit >>= 1) {
        if (2 * digit <= n) {
            F square = high * high;
            low = __mad(high + high, low, product_error<F, U>(high, high, square));
            high = square;
            if ((n & digit) != 0) {
                F product = high * a;
                low = __mad(low, a, __mad(high, a_low, product_error<F, U>(high, a, product)));
                high = product;
            }
        }
    }
    return chosen_power<F>(high + low, high);
}

// What a product lost is not known exactly where it is below the normal range.
template <typename F, typename U> static inline F whole_power_double(F a, uniform unsigned int n) {
    F power = power_in_double_length<F, U>(a, (F)0.0d, n);
    if (abs(power) < 1.0e-290d)
        power = pow_special_double<F, U>(a, (F)n);
    return power;
}

template <typename F, typename U> static inline F inverse_power_double(F a, uniform unsigned int n) {
    F inverse = 1.0d / a;
    F product = a * inverse;
    F missing = (1.0d - product) - product_error<F, U>(a, inverse, product);
    F power = power_in_double_length<F, U>(inverse, inverse * missing, n);
    if (abs(power) < 1.0e-290d)
        power = pow_special_double<F, U>(a, -(F)n);
    return power;
}

#define WHOLE_POWERS(RATE) \
    static inline RATE float power_to_whole(RATE float a, uniform unsigned int n) { \
        return whole_power_float<RATE float, RATE uint32, RATE double>(a, n); \
    } \
    static inline RATE float power_to_minus_whole(RATE float a, uniform unsigned int n) { \
        return inverse_power_float<RATE float, RATE uint32, RATE double>(a, n); \
    } \
    static inline RATE double power_to_whole(RATE double a, uniform unsigned int n) { \
        return whole_power_double<RATE double, RATE uint64>(a, n); \
    } \
    static inline RATE double power_to_minus_whole(RATE double a, uniform unsigned int n) { \
        return inverse_power_double<RATE double, RATE uint64>(a, n); \
    }
WHOLE_POWERS(varying)
WHOLE_POWERS(uniform)

// 10^b = 2^n e^r with n = round(b log2 10), as exp: log10 2 is in two parts, of which n times the upper one is exact.
template <typename F> static inline F power_of_10_float(F b) {
    F bounded = __max((F)-46.0f, __min((F)39.0f, b));
    F shifted = __mad(bounded, 3.32192802f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __mad(n, -0.301025391f, bounded);
    F r = __mad(n, -4.60503911e-06f, most) * 2.30258512f;
    F z = r * r;
    F p = __mad(z, __mad(z, 0.00138207339f, __mad(r, 0.00836867746f, 0.0416682661f)), __mad(r, 0.166665211f, 0.49999994f));
    return __scale_sum((F)1.0f, __mad(z, p, r), shifted);
}

template <typename F> static inline F power_of_10_reduced_double(F b, F &r, F &low) {
    F shifted = __mad(b, 3.321928094887362d, 6755399441055744.0d);
    F n = shifted - 6755399441055744.0d;
    F most = __mad(n, -0.30102999566395283d, b);
    F high = most * 2.302585092994046d;
    F rest = __mad(n, -6.530912947994468e-14d, most * -2.1707562233822494e-16d);
    r = high + rest;
    low = (high - r) + rest;
    return shifted;
}

template <typename F> static noinline F power_of_10_at_ends_double(F b) {
    F r, low;
    F shifted = power_of_10_reduced_double<F>(__min((F)309.0d, __max((F)-324.5d, b)), r, low);
    return scale_double<F>(exp_polynomial_double<F>(r, low), shifted);
}

template <typename F> static inline F power_of_10_double(F b) {
    F r, low;
    F shifted = power_of_10_reduced_double<F>(b, r, low);
    F power = times_power_double<F>(exp_polynomial_double<F>(r, low), shifted);
    if (!(abs(b) < 307.0d))
        power = power_of_10_at_ends_double<F>(b);
    return power;
}

#define POWERS_OF_CONSTANTS(RATE) \
    static inline RATE float power_of_2(RATE float b) { return exp2(b); } \
    static inline RATE double power_of_2(RATE double b) { return exp2(b); } \
    static inline RATE float power_of_10(RATE float b) { return power_of_10_float<RATE float>(b); } \
    static inline RATE double power_of_10(RATE double b) { return power_of_10_double<RATE double>(b); }
POWERS_OF_CONSTANTS(varying)
POWERS_OF_CONSTANTS(uniform)
