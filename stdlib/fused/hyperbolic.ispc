// sinh and cosh of float without division. With |x| = n ln 2 + r:
// sinh |x| = (2^n + 2^-n) / 2 sinh r + (2^n - 2^-n) / 2 cosh r, and cosh x with the signs the other way.

// beside + first + second (e^r - 1), of which cosh r - 1 is multiplied by both instead, doubled; r = most + rest.
template <typename F> static inline F sum_over_ln2_float(F first, F beside, F both, F second, F most, F rest) {
    F r = most + rest;
    F z = r * r;
    F odd = __fma(r * z, __fma(z, 0.00836654566f, 0.166665435f), rest);
    F even = z * __fma(z, __fma(z, 0.00139354286f, 0.0416664593f), 0.5f);
    F sum = __fma(second, most, first);
    F lost = __fma(second, most, first - sum) + beside;
    return 2.0f * (sum + __fma(second, odd, __fma(both, even, lost)));
}

// 2^n / 4 and 2^-n / 4, or 0 where that does not matter, and |x| - n ln 2.
template <typename F> static inline F reduced_size_float(F x, F &up, F &down, F &rest) {
    F size = __min((F)89.7f, abs(x));
    F shifted = __fma(size, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    up = times_power_float<F>((F)0.25f, shifted);
    down = __float_of_bits(max(0, 0x7D000000 - (int)__bits(up)));
    rest = n * -1.42860677e-6f;
    return __fma(n, -0.693145752f, size);
}

// 2^n - 2^-n may have one digit too many. Half of a subnormal number may be none.
template <typename F> static noinline F sinh_at_ends_float(F x) {
    F up, down, rest;
    F most = reduced_size_float<F>(x, up, down, rest);
    F first = up - down;
    F value = sum_over_ln2_float<F>(first, (up - first) - down, first, up + down, most, rest);
    return __copysign(value, x);
}

template <typename F> static noinline F cosh_at_ends_float(F x) {
    F up, down, rest;
    F most = reduced_size_float<F>(x, up, down, rest);
    return sum_over_ln2_float<F>(up, down, up + down, up - down, most, rest);
}

// Below 86 halves of 2^n and 2^-n are normal, and where 2^n - 2^-n has a digit too many this counts a quarter of the last one.
template <typename F> static inline F sinh_float(F x) {
    F size = abs(x);
    F shifted = __fma(size, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __fma(n, -0.693145752f, size), rest = n * -1.42860677e-6f;
    F r = most + rest;
    F up = times_power_float<F>((F)0.5f, shifted);
    F down = __float_of_bits(0x7E000000 - (int)__bits(up));
    F first = up - down, second = up + down;
    F z = r * r;
    F scaled = first * z;
    F odd = __fma(r * z, __fma(z, 0.00836654566f, 0.166665435f), rest);
    F even = z * __fma(z, 0.00139354286f, 0.0416664593f);
    F sum = __fma(second, most, first);
    F lost = __fma(second, most, first - sum);
    F value = sum + __fma(second, odd, __fma(scaled, even, __fma(scaled, 0.5f, lost)));
    value = __float_of_bits(__bits(value) | __bits(x) & 0x80000000);
    if (!(size < 86.0f))
        value = sinh_at_ends_float<F>(x);
    return value;
}

template <typename F> static inline F cosh_float(F x) {
    F size = abs(x);
    F shifted = __fma(size, 1.44269504f, 12582912.0f);
    F n = shifted - 12582912.0f;
    F most = __fma(n, -0.693145752f, size), rest = n * -1.42860677e-6f;
    F r = most + rest;
    F up = times_power_float<F>((F)0.5f, shifted);
    F down = __float_of_bits(0x7E000000 - (int)__bits(up));
    F second = up - down;
    F z = r * r;
    F scaled = (up + down) * z;
    F odd = __fma(r * z, __fma(z, 0.00836654566f, 0.166665435f), rest);
    F even = z * __fma(z, 0.00139354286f, 0.0416664593f);
    F value = up + __fma(second, most, __fma(second, odd, __fma(scaled, even, scaled * 0.5f)) + down);
    if (!(size < 86.0f))
        value = cosh_at_ends_float<F>(x);
    return value;
}
