// Steps of sin, cos and tan that fused multiply-add does in fewer.

// pi/2 in three parts. The first difference is exact; so is what the second lost: the smaller of its operands has no digits below
// those of the larger one's rounding.
template <typename D, typename U> static inline U reduce_near_double(D x, D &r, D &lower) {
    D shifted = __fma(x, 0.6366197723675814d, 6755399441055744.0d);
    D n = shifted - 6755399441055744.0d;
    D near = __fma(n, -1.5707963267948966d, x);
    D step = n * 6.123233995736766e-17d;
    r = near - step;
    lower = __fma(n, -1.4973849048591698e-33d, __fma(n, 6.123233995736766e-17d, -step) + (step - (near - r)));
    return __bits(shifted);
}
