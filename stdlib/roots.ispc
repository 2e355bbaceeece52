// cbrt.
//
// A third of the exponent is a guess good to 4 %; each step of Halley's iteration triples its digits. Before the last
// step the guess is cut to so few bits that its square is exact, so the result is off by little more than half a unit.

// Float's exponent is brought to a multiple of three first, which leaves numbers from 3/8 to 3.
template <typename F, typename I> static inline F cbrt_float(F x) {
    F size = abs(x);
    F k = __exponent(size);
    F third = __mad(k, 0.333333343f, 12582912.0f);
    F a = __scale_sum(__significand(size), (F)0.0f, __mad(third - 12582912.0f, -3.0f, k) + 12582912.0f);
    F t = __float_of_bits((I)((F)(I)__bits(a) * 0.333333343f) + 709958130);
    F cube = t * t * t;
    t = t * ((cube + 2.0f * a) / (2.0f * cube + a));
    t = __float_of_bits((I)__bits(t) & 0xFFFFF000);
    F ratio = a / (t * t);
    t = __copysign(__scale_sum(t, t * ((ratio - t) / __mad(2.0f, t, ratio)), third), x);
    return x == 0.0f || !(size < __float_of_bits(0x7F800000)) ? x : t;
}

template <typename F, typename I> static inline F cbrt_double(F x) {
    F size = abs(x);
    F a = size < 2.2250738585072014e-308d ? size * 18014398509481984.0d : size;
    F t = __float_of_bits((I)((F)(I)__bits(a) * 0.3333333333333333d) + 0x2A9F7893782DA1CE);
    // Halved and quartered, so that nothing overflows.
    F cube = 0.25d * t * t * t;
    t = t * ((cube + 0.5d * a) / (2.0d * cube + 0.25d * a));
    cube = 0.25d * t * t * t;
    t = t * ((cube + 0.5d * a) / (2.0d * cube + 0.25d * a));
    t = __float_of_bits((I)__bits(t) & 0xFFFFFFFFF8000000);
    F ratio = a / (t * t);
    t = t + t * ((ratio - t) / (2.0d * t + ratio));
    t = size < 2.2250738585072014e-308d ? t * 3.814697265625e-6d : t;
    return x == 0.0d || !(size < __float_of_bits(0x7FF0000000000000)) ? x : __copysign(t, x);
}

float cbrt(float x) { return cbrt_float<float, int>(x); }
uniform float cbrt(uniform float x) { return cbrt_float<uniform float, uniform int>(x); }
double cbrt(double x) { return cbrt_double<double, int64>(x); }
uniform double cbrt(uniform double x) { return cbrt_double<uniform double, uniform int64>(x); }
