// 2^r for |r| <= 1/2, where one rounding less leaves the factor ln 2 good enough.

template <typename F, typename U> static inline F exp2_polynomial_double(F r) {
    F z = r * r;
    F p = __mad(z, __mad(z, __mad(z, __mad(z, __mad(z, 2.572487572555175e-11d, __mad(r, 4.4549649231152814e-10d,
        7.054900072995981e-09d)), __mad(r, 1.0178062424216474e-07d, 1.32154868026738e-06d)), __mad(r, 1.5252733829871612e-05d,
        0.00015403530393376096d)), __mad(r, 0.0013333558146416914d, 0.009618129107628479d)), __mad(r, 0.0555041086648216d,
        0.24022650695910072d));
    return 1.0d + __fma(r, 0.6931471805599453d, z * p);
}
