// cbrt.
//
// A third of the exponent is a guess good to 4 %; each step of Halley's iteration triples its digits. Before the last
// step the guess is cut to so few bits that its square is exact, so the result is off by little more than half a unit.

template <typename F, typename I> static inline F cbrt_float(F x) {
    F size = abs(x);
    F a = size < 1.17549435e-38f ? size * 16777216.0f : size;
    F t = __float_of_bits((I)((F)(I)__bits(a) * 0.333333343f) + 709958130);
    F cube = t * t * t;
    t = t * ((cube + 2.0f * a) / (2.0f * cube + a));
    t = __float_of_bits((I)__bits(t) & 0xFFFFF000);
    F ratio = a / (t * t);
    t = t + t * ((ratio - t) / (2.0f * t + ratio));
    t = size < 1.17549435e-38f ? t * 0.00390625f : t;
    return x == 0.0f || !(size < __float_of_bits(0x7F800000)) ? x : __copysign(t, x);
}

template <typename F, typename I> static inline F cbrt_double(F x) {
    F size = abs(x);
    F a = size < 2.2250738585072014e-308d ? size * 18014398509481984.0d : size;
    F t = __float_of_bits((I)((F)(I)__bits(a) * 0.3333333333333333d) + 0x2A9F7893782DA1CE);
    F cube = t * t * t;
    t = t * ((cube + 2.0d * a) / (2.0d * cube + a));
    cube = t * t * t;
    t = t * ((cube + 2.0d * a) / (2.0d * cube + a));
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
