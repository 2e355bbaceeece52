// erfc of float without fused multiply-add: as that of double, with fewer terms.

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
