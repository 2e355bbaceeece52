// erf and erfc of float without fused multiply-add: erf around one of four centres, since these processors look up in 16 bytes at a time,
// erfc as that of double, with fewer terms.

// erf c for the centres c = 1.1211424 k, then the coefficients of P in erf(c + t) = erf c + t P(t); around zero t + t P(t). The distance
// is one at which erf c is nearly a float (Gal 1986). From 3.9235 on it is 1.
static const uniform float erf_quarters[11][4] = {
    {0.0f, 0.887155116f, 0.998481214f, 0.999998033f},
    {0.128379166f, 0.3210437f, 0.00739420438f, 1.37862553e-05f},
    {2.34893591e-07f, -0.359935582f, -0.0165801998f, -4.66294769e-05f},
    {-0.376137078f, 0.162011802f, 0.0223198403f, 9.93615831e-05f},
    {0.000191219122f, 0.0291567072f, -0.0194899216f, -0.000145596598f},
    {0.111112095f, -0.0616848655f, 0.0107919732f, 0.0001743873f},
    {0.00877473131f, 0.0152969128f, -0.00292927865f, -0.000204217198f},
    {-0.0530865863f, 0.00982795469f, -0.000742111355f, 0.000106766594f},
    {0.0455595106f, -0.00607665768f, 0.00125112012f, 0.000106571832f},
    {-0.0370638892f, -0.000526674499f, -0.000325148052f, 2.22719427e-05f},
    {0.0155896423f, 0.00116006739f, -0.000309463067f, -0.000194282897f}
};

template <typename F, typename I> static inline F erf_term(I piece, uniform int k) { return __lookup_four(&erf_quarters[k][0], piece); }

template <typename F, typename I> static inline F erf_float(F x) {
    F size = __min((F)3.9235f, abs(x));
    F shifted = size * 0.8919474f + 12582912.0f;
    F t = size - (shifted - 12582912.0f) * 1.1211424f;
    I piece = (I)__bits(shifted);
    F z = t * t;
    F y = z * z;
    F centre = erf_term<F, I>(piece, 0);
    F start = shifted == 12582912.0f ? t : centre;
    F linear = t * erf_term<F, I>(piece, 1);
    F sum = start + linear;
    F rest = linear - (sum - start);
    F low = erf_term<F, I>(piece, 2) + t * erf_term<F, I>(piece, 3);
    F middle = erf_term<F, I>(piece, 4) + t * erf_term<F, I>(piece, 5);
    F high = erf_term<F, I>(piece, 6) + t * erf_term<F, I>(piece, 7);
    F last = (erf_term<F, I>(piece, 8) + t * erf_term<F, I>(piece, 9)) + z * erf_term<F, I>(piece, 10);
    F curve = (low + z * middle) + y * (high + z * last);
    return __copysign(sum + (z * curve + rest), x);
}

template <typename F, typename I> static inline F erf_fast(F x) { return erf_float<F, I>(x); }

// e^(x^2) erfc x = P(y) / (x + 3) with y = (x - 3) / (x + 3)
template <typename F, typename D> static noinline F erfc_tail_float(F size) {
    D x = (D)__min((F)10.5f, size);
    D t = 1.0d / (x + 3.0d);
    D y = (x - 3.0d) * t;
    D z = y * y;
    D u = z * z;
    D high = (-0.00122408837d + y * 0.0030539101d) + z * (-0.000484067103d + y * -0.000288761628d);
    D low = (0.590228379d + y * -0.310466498d) + z * (0.119528197d + y * -0.0268336087d);
    D p = (1.07400691d + y * -0.88339448d) + z * (low + u * high);
    return exp2_times<F, D>(x * x * -1.4426950408889634d, p * t);
}

template <typename F, typename I, typename D, typename U> static inline F erfc_float(F x) {
    U index;
    D size = __min((D)5.988d, (D)abs(x));
    D n = nearest_centre_double<D, U>(size, index);
    D t = size - n * 0.01171877465048965d;
    D u = n * t, v = t * t;
    D low = u * (-0.01171877465048965d + u * (9.1553119e-05d + u * (-5.3644512e-07d + u * 2.5146e-09d)));
    D tail = erf_rows[4 * index + 2] - erf_rows[4 * index + 1] * (t + t * (low + v * (-0.33333333d + u * 0.0058593872d)));
    F value = (F)(x < 0.0f ? 2.0d - tail : tail);
    if (x > 5.988f)
        value = erfc_tail_float<F, D>(x);
    return value;
}
