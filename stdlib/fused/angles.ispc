// Steps of sin, cos and tan that fused multiply-add does in fewer.

// pi/2 in three parts. The first difference is exact; so is what the second lost: the smaller of its operands has no digits below
// those of the larger one's rounding.
template <typename D, typename U> static inline U reduce_near_double(D x, D &r, D &lower) {
    D shifted = __fma(x, 0.6366197723675814d, 6755399441055744.0d);
    D n = shifted - 6755399441055744.0d;
    D near = __fma(n, -1.5707963267948966d, x);
    D step = n * 6.123233995736766e-17d;
    r = near - step;
    lower = __fma(n, -1.4973849048591698e-33d, __fma(n, 6.123233995736766e-17d, r - near));
    return __bits(shifted);
}

// x - n pi without its last digit, of which the first difference is exact.
template <typename D> static inline D half_turn_rest_double(D x, D n) {
    return __fma(n, -1.2246467991473532e-16d, __fma(n, -3.141592653589793d, x));
}

// Infinity and NaN have no remainder.
template <typename F, typename D, typename L, typename U, typename I> static noinline U large_angle(F size, D &r) {
    D exact, exact_low;
    U quadrant = (U)(L)reduce_by_words<D, L, U, I>((D)size, exact, exact_low);
    r = exact + (D)(size - size);
    return quadrant;
}

// tan of float in double, where nothing is lost that counts: tan r = r (a + b z) / (c + z (d + z)) with z = r^2, or for odd quadrants
// minus its reciprocal. The first difference is exact, and n is right to a unit up to 2^40.
template <typename F, typename I, typename D, typename L, typename U> static inline F tan_float(F size) {
    D x = (D)size;
    D shifted = __fma(x, 0.6366197723675814d, 6755399441055744.0d);
    D n = shifted - 6755399441055744.0d;
    D r = __fma(n, -6.123233995736766e-17d, __fma(n, -1.5707963267948966d, x));
    U quadrant = __bits(shifted);
    if (abs(size) > 1099511627776.0f) {
        D exact;
        quadrant = large_angle<F, D, L, U, I>(size, exact);
        r = exact;
    }
    U odd = quadrant << 63;
    D z = r * r;
    D over = __float_of_bits(__bits(r) ^ odd) * __fma(z, -9.859191952010322d, 102.91180715253765d);
    D under = __fma(z, z + -44.16319750437719d, 102.91180861634147d);
    return (F)(((L)odd < 0 ? under : over) / ((L)odd < 0 ? over : under));
}

// Sine and cosine beside each other: both are computed, by the operations that are chosen between where one is alone, and LLVM does it
// once. The one of the quadrant is taken.
template <typename F, typename I> static inline F sin_of_both_float(F r, F lower, I quadrant, uniform int ahead) {
    F z = r * r;
    F s = __mad(z, __mad(z, 0.000195185989f, -0.00833219103f), 0.166666552f);
    F sine = r - __mad(r, z * s, lower);
    F c = __mad(z, __mad(z, __mad(z, 2.44306684e-05f, -0.00138873013f), 0.0416666456f), -0.5f);
    F cosine = __mad(r, __mad(r, c, lower), 1.0f);
    I odd = quadrant << 31;
    F value = odd < 0 ? (ahead == 0 ? cosine : sine) : (ahead == 0 ? sine : cosine);
    I turned = ahead == 0 ? quadrant << 30 : quadrant << 30 ^ odd;
    return __float_of_bits(__bits(value) ^ turned & 0x80000000);
}

template <typename F, typename I, typename D, typename L, typename U> static inline F paired_float(F x, uniform int ahead) {
    F r, lower;
    I quadrant = reduce_signed_float<F, I>(x, r, lower);
    F value = sin_of_both_float<F, I>(r, lower, quadrant, ahead);
    if (!(abs(x) <= 131072.0f))
        value = sin_of_large_float<F, I, D, L, U>(x, ahead);
    return value;
}

template <typename F, typename I, typename D, typename L, typename U> static inline F paired_sin_float(F x) {
    return paired_float<F, I, D, L, U>(x, 0);
}
template <typename F, typename I, typename D, typename L, typename U> static inline F paired_cos_float(F x) {
    return paired_float<F, I, D, L, U>(x, 1);
}

template <typename F, typename I, typename D, typename L, typename U>
static inline void sincos_float(F x, F &sine, F &cosine) {
    sine = paired_float<F, I, D, L, U>(x, 0);
    cosine = paired_float<F, I, D, L, U>(x, 1);
}

// sin r = r - r T(r^2) and cos r = 1 + r^2 T(r^2) as for float: the terms of T, the highest power first.
static const uniform double quadrant_terms_double[7][3] = {
    {-1.5896734280260924e-10d, -1.138258853535238e-11d, -1.5896734280260924e-10d},
    {2.505075707223973e-08d, 2.087614565905934e-09d, 2.505075707223973e-08d},
    {-2.7557313685356357e-06d, -2.755731726880539e-07d, -2.7557313685356357e-06d},
    {0.00019841269829789176d, 2.4801587298760048e-05d, 0.00019841269829789176d},
    {-0.00833333333332239d, -0.0013888888888887393d, -0.00833333333332239d},
    {0.16666666666666632d, 0.041666666666666664d, 0.16666666666666632d},
    {0.0d, -0.5d, 0.0d}
};

// T but for the last term, by Estrin's scheme (1960), which waits for fewer steps.
template <typename D> static inline D quadrant_curve_double(D z, D a, D b, D c, D d, D e, D f) {
    D y = z * z;
    return __fma(y, __fma(y, __fma(z, a, b), __fma(z, c, d)), __fma(z, e, f));
}

#define LOOKED_UP(K) __lookup_two(&quadrant_terms_double[K][ahead], index)

// sin(r - lower + (quadrant + ahead) pi/2)
template <typename D, typename L, typename U>
static inline D sin_of_quadrant_double(D r, D lower, U quadrant, uniform int ahead) {
    L index = (L)quadrant;
    D z = r * r;
    D t = __fma(z, quadrant_curve_double<D>(z, LOOKED_UP(0), LOOKED_UP(1), LOOKED_UP(2), LOOKED_UP(3), LOOKED_UP(4), LOOKED_UP(5)),
        LOOKED_UP(6));
    U turned = quadrant + ahead;
    L odd = (L)(turned << 63);
    D value = __fma(odd < 0 ? r : (D)-1.0d, __fma(r, t, lower), odd < 0 ? (D)1.0d : r);
    return __float_of_bits(__bits(value) ^ (turned & 2) << 62);
}

template <typename D, typename L, typename U, typename I> static inline D sin_double(D x) {
    D r, lower;
    U quadrant = reduce_double<D, L, U, I>(x, r, lower);
    return sin_of_quadrant_double<D, L, U>(r, lower, quadrant, 0);
}

template <typename D, typename L, typename U, typename I> static inline D cos_double(D x) {
    D r, lower;
    U quadrant = reduce_double<D, L, U, I>(x, r, lower);
    return sin_of_quadrant_double<D, L, U>(r, lower, quadrant, 1);
}

// As sin_of_both_float.
template <typename D, typename L, typename U>
static inline D sin_of_both_double(D r, D lower, U quadrant, uniform int ahead) {
    D z = r * r;
    D s = quadrant_curve_double<D>(z, quadrant_terms_double[0][0], quadrant_terms_double[1][0], quadrant_terms_double[2][0],
        quadrant_terms_double[3][0], quadrant_terms_double[4][0], quadrant_terms_double[5][0]);
    D c = quadrant_curve_double<D>(z, quadrant_terms_double[0][1], quadrant_terms_double[1][1], quadrant_terms_double[2][1],
        quadrant_terms_double[3][1], quadrant_terms_double[4][1], quadrant_terms_double[5][1]);
    D sine = r - __fma(r, z * s, lower);
    D cosine = __fma(r, __fma(r, __fma(z, c, -0.5d), lower), 1.0d);
    U turned = quadrant + ahead;
    D value = (L)(turned << 63) < 0 ? cosine : sine;
    return __float_of_bits(__bits(value) ^ (turned & 2) << 62);
}

template <typename D, typename L, typename U, typename I> static noinline D sin_of_large_double(D x, uniform int ahead) {
    D exact, exact_low;
    U quadrant = (U)(L)reduce_by_words<D, L, U, I>(x, exact, exact_low);
    return sin_of_quadrant_double<D, L, U>(exact + (x - x), -exact_low, quadrant, ahead);
}

// Large numbers come last, such that LLVM sees the same before; alone that takes longer.
template <typename D, typename L, typename U, typename I> static inline D paired_double(D x, uniform int ahead) {
    D r, lower;
    U quadrant = reduce_near_double<D, U>(x, r, lower);
    D value = sin_of_both_double<D, L, U>(r, lower, quadrant, ahead);
    if (abs(x) > 1000000.0d)
        value = sin_of_large_double<D, L, U, I>(x, ahead);
    return value;
}

template <typename D, typename L, typename U, typename I> static inline D paired_sin_double(D x) {
    return paired_double<D, L, U, I>(x, 0);
}
template <typename D, typename L, typename U, typename I> static inline D paired_cos_double(D x) {
    return paired_double<D, L, U, I>(x, 1);
}

template <typename D, typename L, typename U, typename I>
static inline void sincos_double(D x, D &sine, D &cosine) {
    sine = paired_double<D, L, U, I>(x, 0);
    cosine = paired_double<D, L, U, I>(x, 1);
}

// tan r = r (1 + z N(z)) / (1 + z D(z)) with z = r^2; for odd quadrants the quotient is turned over and negated. Both sides and
// the quotient are taken in double length.
template <typename D, typename L, typename U, typename I> static inline D tan_double(D x) {
    D size, size_lower;
    U sign = reduce_double<D, L, U, I>(x, size, size_lower) << 63;
    D z = size * size;
    D y = z * z;
    D n = __fma(z, __fma(z, -1.786076368040364e-05d, 0.0034248315662285113d), -0.13338303657177566d);
    D r = __float_of_bits(__bits(size) ^ sign), lower = __float_of_bits(__bits(size_lower) ^ sign);
    // Not -0, such that -0 stays.
    D cube = __fma(r, z, 0.0d);
    D odd = __fma(cube, n, r);
    // What z misses of the square, and r - lower against r.
    D missed = __fma(lower * z, -0.73d, __fma(r * __fma(r, r, -z), 0.4d, -lower));
    D odd_low = __fma(cube, n, r - odd) + missed;
    D d = __fma(y, __fma(z, 4.981490128171717e-07d, -0.0003118059227867299d),
        __fma(z, 0.025663621534598238d, -0.466716369905109d));
    D even = __fma(z, d, 1.0d);
    D even_low = __fma(z, d, 1.0d - even);
    D over = (L)sign < 0 ? even : odd, over_low = (L)sign < 0 ? even_low : odd_low;
    D under = (L)sign < 0 ? odd : even, under_low = (L)sign < 0 ? odd_low : even_low;
    D inverse = 1.0d / under;
    D quotient = over * inverse;
    return __fma(-inverse, __fma(quotient, under, -over) + __fma(quotient, under_low, -over_low), quotient);
}
