// --math-lib=fast: exp and exp2 of float for processors without an instruction that scales by powers of two. As by default a jump
// costs less than what keeps the ends of the range right, which are the default library's, too.

// 2^n (1 + r P(r)): the sum is the last operation, in which the product is not rounded. C1 to C5: of P.
#define POWER_FAST(C1, C2, C3, C4, C5) \
    F z = r * r; \
    F high = __mad(z, (F)C5, __mad(r, (F)C4, C3)); \
    F p = __mad(z, high, __mad(r, (F)C2, C1)); \
    F power = times_power_float<F>(__mad(r, p, 1.0f), shifted)

template <typename F> static inline F exp_within_fast(F x) {
    F shifted = __mad(x, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F r = __mad(n, -1.42860677e-6f, __mad(n, -0.693145752f, x));
    POWER_FAST(0.999999702f, 0.499991477f, 0.166676521f, 0.0418981761f, 0.00828936044f);
    if (!(abs(x) < 87.0f))
        power = exp_at_ends_float<F>(x);
    return power;
}

template <typename F> static inline F exp2_within_fast(F x) {
    F shifted = x + 12582912.0f;
    F r = x - (shifted - 12582912.0f);
    POWER_FAST(0.693147004f, 0.240222469f, 0.0555071197f, 0.00967130717f, 0.00132691395f);
    if (!(abs(x) < 125.0f))
        power = exp2_at_ends_float<F>(x);
    return power;
}

float exp(float x) { return exp_within_fast<float>(x); }
uniform float exp(uniform float x) { return exp_within_fast<uniform float>(x); }
float exp2(float x) { return exp2_within_fast<float>(x); }
uniform float exp2(uniform float x) { return exp2_within_fast<uniform float>(x); }
