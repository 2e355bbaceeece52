// sin, cos, tan of float without fused multiply-add: in double, where the reduction and the sums lose nothing that counts.
//
// Polynomials are made by benchmarks/coefficients.py. pi and its half are split in two: n times the upper part, of 33 bits, is
// exact for the sizes that come here, and so is the first difference.

// For sizes above 2^20: how many quarter turns are taken off; infinity and NaN have no remainder.
template <typename D, typename I, typename L, typename U> static inline I large_angle(D x, D &r) {
    D exact, exact_low;
    I quadrant = reduce_by_words<D, L, U, I>(x, exact, exact_low);
    r = exact + (x - x);
    return quadrant;
}

// The same for sin(x + ahead pi/2), in half turns: sin(r + pi/2) = sin(pi/2 - |r|).
template <typename D, typename I, typename L, typename U> static inline D large_half_turns(D x, uniform int ahead, D &r) {
    I quadrant = large_angle<D, I, L, U>(x, r) + ahead;
    r = (quadrant & 1) != 0 ? 1.5707963267948966d - abs(r) : r;
    return (D)((quadrant >> 1) & 1) + 6755399441055744.0d;
}

// sin(r + turns), where `turns` is an integer n of half turns + 1.5 * 2^52, for |r| <= pi/2. r comes last, so -0 stays -0.
template <typename F, typename D> static inline F sin_of_half_turns_in_double(D r, D turns) {
    D z = r * r;
    D u = z * z;
    D low = -0.16666666631636345d + z * 0.00833333131879613d;
    D high = (-0.00019840893400664082d + z * 2.752657881730536e-06d) + u * -2.3908479997740237e-08d;
    D value = r * (1.0d + z * (low + u * high));
    return (F)__float_of_bits(__bits(value) ^ (__bits(turns) << 63));
}

template <typename F, typename I, typename D, typename L, typename U> static inline F sin_float(F size) {
    D x = (D)size;
    D turns = x * 0.3183098861837907d + 6755399441055744.0d;
    D n = turns - 6755399441055744.0d;
    D r = (x - n * 3.1415926534682512d) - n * 1.2154201013012384e-10d;
    if (abs(size) > 1048576.0f)
        turns = large_half_turns<D, I, L, U>(x, 0, r);
    return sin_of_half_turns_in_double<F, D>(r, turns);
}

// cos x = sin(x + pi/2)
template <typename F, typename I, typename D, typename L, typename U> static inline F cos_float(F size) {
    D x = (D)size;
    D turns = (x * 0.3183098861837907d + 0.5d) + 6755399441055744.0d;
    D n = (turns - 6755399441055744.0d) - 0.5d;
    D r = (x - n * 3.1415926534682512d) - n * 1.2154201013012384e-10d;
    if (abs(size) > 1048576.0f)
        turns = large_half_turns<D, I, L, U>(x, 1, r);
    return sin_of_half_turns_in_double<F, D>(r, turns);
}

template <typename F, typename I, typename D, typename L, typename U>
static inline void sincos_float(F x, F &sine, F &cosine) {
    sine = sin_float<F, I, D, L, U>(x);
    cosine = cos_float<F, I, D, L, U>(x);
}

// tan r = r (a + b z) / (c + z (d + z)) with z = r^2, or for odd quadrants minus its reciprocal.
template <typename F, typename I, typename D, typename L, typename U> static inline F tan_float(F size) {
    D x = (D)size;
    D shifted = x * 0.6366197723675814d + 6755399441055744.0d;
    D n = shifted - 6755399441055744.0d;
    D r = (x - n * 1.5707963267341256d) - n * 6.077100506506192e-11d;
    U odd = __bits(shifted) << 63;
    if (abs(size) > 1048576.0f) {
        D exact;
        odd = (U)(L)large_angle<D, I, L, U>(x, exact) << 63;
        r = exact;
    }
    D z = r * r;
    D over = __float_of_bits(__bits(r) ^ odd) * (z * -9.859191952010322d + 102.91180715253765d);
    D under = z * (z + -44.16319750437719d) + 102.91180861634147d;
    return (F)(((L)odd < 0 ? under : over) / ((L)odd < 0 ? over : under));
}

// x - n pi without its last digit: n times either of the upper parts of pi, of 35 bits, is exact.
template <typename D> static inline D half_turn_rest_double(D x, D n) {
    return ((x - n * 3.1415926535846666d) - n * 5.1266883031679116e-12d) - n * 2.1125998133974855e-23d;
}
