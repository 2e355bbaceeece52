// atan, atan2, asin, acos.
//
// F is the number's type, I the integer of its width, at one rate. Coefficients are Chebyshev fits made with mpmath at
// 50 digits.

// atan(n / d) of two numbers >= 0, with one division. For double, above tan(3 pi/8) it is pi/2 - atan(d / n), between
// that and tan(pi/8) pi/4 + atan((n - d) / (n + d)), so that the polynomial sees at most tan(pi/8). What does not belong to a side
// is zero there: selecting that costs less than selecting between two numbers.
template <typename F> static inline F quotient_to_eighth_double(F n, F d, F &base) {
    F above = 2.414213562373095d * d, beyond = 0.41421356237309503d * d;
    F over = (n > above ? (F)0.0d : n) - (n >= beyond ? d : (F)0.0d);
    F under = (n > above ? (F)0.0d : d) + (n >= beyond ? n : (F)0.0d);
    base = n > above ? (F)1.5707963267948966d : (n >= beyond ? (F)0.7853981633974483d : (F)0.0d);
    return over / under;
}

template <typename F> static inline F atan_of_ratio_double(F n, F d) {
    F base;
    F t = quotient_to_eighth_double<F>(n, d, base);
    F z = t * t;
    F y = z * z;
    F p = __mad(y, __mad(y, __mad(y, __mad(y, __mad(y, -0.019175404711104935d, __mad(z, 0.03923044778479309d,
        -0.050854078345894844d)), __mad(z, 0.05858140904866328d, -0.06664510525508936d)), __mad(z, 0.07692183125376892d,
        -0.0909090457530649d)), __mad(z, 0.11111111015187018d, -0.14285714284665682d)), __mad(z, 0.19999999999995516d,
        -0.3333333333333333d));
    return base + (t + __mad(t * z, p, base * 3.8981718325193755e-17d));
}

// For float the polynomial goes as far as 1: the angle is the one between the nearer axis and the point, taken off that
// axis' or added to it. Both zero and both infinite count as (1, 0) and (1, 1).
template <typename F, typename U> static inline F atan2_float(F y, F x) {
    F n = abs(y), d = abs(x);
    // Where one is NaN, both sides of the quotient get what is NaN.
    F least = __min(d, n), most = __max((F)1.40129846e-45f, __max(n, d));
    F quotient = least / most;
    F t = least == most ? (F)1.0f : quotient;
    F z = t * t;
    F u = z * z;
    F low = __mad(u, __mad(z, 0.106792226f, -0.142142847f), __mad(z, 0.199941471f, -0.333331674f));
    F high = __mad(u, __mad(z, 0.00297553698f, -0.0165850837f), __mad(z, 0.0435600914f, -0.0758115426f));
    F angle = __mad(t * z, __mad(u * u, high, low), t);
    U left = __bits(x) & 0x80000000;
    F axis = n > d ? (F)1.57079637f : __float_of_bits((U)0x40490FDB & (U)((int)left >> 31));
    U turned = n > d ? left ^ 0x80000000 : left;
    F part = __float_of_bits(__bits(angle) ^ turned);
    return with_sign_float<F>(axis + __mad(axis, -2.78275346e-8f, part), y);
}

// The sign of x on what is not below zero.
template <typename F> static inline F with_sign_float(F size, F x) { return __float_of_bits(__bits(size) | __bits(x) & 0x80000000); }
template <typename F> static inline F with_sign_double(F size, F x) {
    return __float_of_bits(__bits(size) | __bits(x) & 0x8000000000000000);
}

// base + atan(over / under) of a small quotient, with the sign of x.
template <typename F> static inline F atan_from_base_float(F over, F under, F base, F x) {
    F t = over / under;
    F z = t * t;
    F u = z * z;
    F high = __mad(u, __mad(z, 0.0297132526f, -0.0725283399f), __mad(z, 0.107199892f, -0.142418101f));
    F p = __mad(u, high, __mad(z, 0.199976906f, -0.333332926f));
    F angle = base + (t + __mad(t * z, p, base * -2.78275346e-8f));
    return with_sign_float<F>(angle, x);
}

// A third range in the middle, so that the polynomial, and with it what its rounding costs, stays small; the quotient is below 1/4
// where its last digit would else be as large as the angle's.
template <typename F> static inline F atan_float(F x) {
    F size = abs(x);
    F middle = size < 0.6f ? (F)0.0f : (F)1.0f;
    F over = size <= 1.83f ? size - middle : (F)-1.0f;
    F under = size <= 1.83f ? __mad(size, middle, 1.0f) : size;
    F base = size <= 1.83f ? middle * 0.785398185f : (F)1.57079637f;
    return atan_from_base_float<F>(over, under, base, x);
}

// The same values with each comparison used once: of one number, what several select by becomes a jump or, on AVX-512, a chain from
// iteration to iteration.
template <typename F> static inline F atan_of_one_float(F x) {
    F size = __min((F)1.0e30f, abs(x));
    F a = size <= 1.83f ? (F)1.0f : (F)0.0f, b = size < 0.6f ? (F)0.0f : (F)1.0f;
    F base = __mad(b - a, 0.785398185f, 0.785398185f);
    return atan_from_base_float<F>(__mad(size, a, -b), __mad(size, b, a), base, x);
}

template <typename F> static inline F atan_double(F x) {
    return with_sign_double<F>(atan_of_ratio_double<F>(abs(x), (F)1.0d), x);
}

float atan(float x) { return atan_float<float>(x); }
uniform float atan(uniform float x) { return atan_of_one_float<uniform float>(x); }
double atan(double x) { return atan_double<double>(x); }
uniform double atan(uniform double x) { return atan_double<uniform double>(x); }
float16 atan(float16 x) { return (float16)atan((float)x); }
uniform float16 atan(uniform float16 x) { return (uniform float16)atan((uniform float)x); }

// The angle of the point (x, y): the quadrant comes from the signs, of zeros too; two zeros and two infinities count as
// (1, 0) and (1, 1).
template <typename F> static inline F angle_of_signs_double(F angle, F y, F x) {
    return with_sign_double<F>(__bits(x) >= 0x8000000000000000 ? 3.141592653589793d - (angle - 1.2246467991473532e-16d) : angle, y);
}

template <typename F> static noinline F atan2_at_ends_double(F y, F x) {
    F n = abs(y), d = abs(x), infinity = __float_of_bits(0x7FF0000000000000);
    F n_finite = n == infinity ? (F)1.0d : (d == infinity ? (F)0.0d : n * 0.25d);
    F d_finite = d == infinity || (n == 0.0d && d == 0.0d) ? (F)1.0d : (n == infinity ? (F)0.0d : d * 0.25d);
    F angle = angle_of_signs_double<F>(atan_of_ratio_double<F>(n_finite, d_finite), y, x);
    return x != x || y != y ? x + y : angle;
}

template <typename F> static inline F atan2_double(F y, F x) {
    F largest = __max(abs(y), abs(x));
    F angle = angle_of_signs_double<F>(atan_of_ratio_double<F>(abs(y), abs(x)), y, x);
    if (!(largest > 0.0d && largest < 1.0e307d))
        angle = atan2_at_ends_double<F>(y, x);
    return angle;
}

float atan2(float y, float x) { return atan2_float<float, uint32>(y, x); }
uniform float atan2(uniform float y, uniform float x) { return atan2_float<uniform float, uniform uint32>(y, x); }
double atan2(double y, double x) { return atan2_double<double>(y, x); }
uniform double atan2(uniform double y, uniform double x) { return atan2_double<uniform double>(y, x); }
float16 atan2(float16 y, float16 x) { return (float16)atan2((float)y, (float)x); }
uniform float16 atan2(uniform float16 y, uniform float16 x) { return (uniform float16)atan2((uniform float)y, (uniform float)x); }

// asin x = x + x^3 P(x^2) for |x| <= 1/2. Above, with s = sqrt((1 - |x|) / 2), it is pi/2 - 2 asin s.
template <typename F> static inline F asin_series_float(F z) {
    F y = z * z;
    return z * __mad(y, __mad(y, 0.0422117971f, __mad(z, 0.0241520926f, 0.0454760417f)), __mad(z, 0.0749525204f, 0.166667536f));
}

template <typename F> static inline F asin_series_double(F z) {
    F y = z * z;
    return z * __mad(y, __mad(y, __mad(y, __mad(y, __mad(y, __mad(y, 0.02875785136742152470806d, __mad(z, -0.01485188707124720322425d,
        0.01740087944269402244299d)), __mad(z, 0.00545750671864035830042d, 0.0103228143501857792869d)), __mad(z,
        0.01147917741518490589579d, 0.01397121297355293330419d)), __mad(z, 0.01735239272086997294152d,
        0.02237217294214988787499d)), __mad(z, 0.03038194413853124728662d, 0.04464285714635542978265d)), __mad(z,
        0.07499999999998432933169d, 0.1666666666666666782652d));
}

// p and what the rounding of s = sqrt(z) lost, (z - s^2) / (2 s). From 1/4 to 1/2, where it counts, 1 / (2 s) is 1.4, more or
// less, and below too small a part of it does no harm.
template <typename F> static inline F with_rest_of_root(F p, F s, F z) { return __mad(square_rest<F>(s, z), 1.4f, p); }

// Up to 1/2 the square is the smaller, above the other.
template <typename F> static inline F asin_square_float(F x, F size) { return __min(__mad(size, -0.5f, 0.5f), x * x); }

template <typename F> static inline F asin_float(F x) {
    F size = abs(x);
    F z = asin_square_float<F>(x, size);
    F s = sqrt(z);
    F q = asin_series_float<F>(z);
    // pi/2 - 2 s in double length.
    F most = __mad(s, -2.0f, 1.57079637f);
    F lost = __mad(s, -2.0f, 1.57079637f - most);
    F folded = most + __mad(with_rest_of_root<F>(__mad(s, q, 2.18556941e-8f), s, z), -2.0f, lost);
    return with_sign_float<F>(size <= 0.5f ? __mad(size, q, size) : folded, x);
}

template <typename F> static inline F asin_double(F x) {
    F size = abs(x);
    F z = size > 0.5d ? __mad(size, -0.5d, 0.5d) : x * x;
    F s = size > 0.5d ? sqrt(z) : size;
    F p = s * asin_series_double<F>(z);
    F folded = __mad(s + (p - 3.061616997868383e-17d), -2.0d, 1.5707963267948966d);
    return with_sign_double<F>(size > 0.5d ? folded : s + p, x);
}

float asin(float x) { return asin_float<float>(x); }
uniform float asin(uniform float x) { return asin_float<uniform float>(x); }
double asin(double x) { return asin_double<double>(x); }
uniform double asin(uniform double x) { return asin_double<uniform double>(x); }
float16 asin(float16 x) { return (float16)asin((float)x); }
uniform float16 asin(uniform float16 x) { return (uniform float16)asin((uniform float)x); }

// acos x = pi/2 - asin x for |x| <= 1/2; above 2 asin s, below -1/2 pi - 2 asin s.
template <typename F> static inline F acos_float(F x) {
    F size = abs(x);
    F z = asin_square_float<F>(x, size);
    F s = sqrt(z);
    F q = asin_series_float<F>(z);
    F middle = 1.57079637f - (x + __mad(x, q, 4.37113883e-8f));
    F right = 2.0f * (s + with_rest_of_root<F>(s * q, s, z));
    F left = 3.14159274f - (right + 8.74227766e-8f);
    F outer = x < 0.0f ? left : right;
    return size <= 0.5f ? middle : outer;
}

template <typename F> static inline F acos_double(F x) {
    F size = abs(x);
    F z = size > 0.5d ? __mad(size, -0.5d, 0.5d) : x * x;
    F s = size > 0.5d ? sqrt(z) : x;
    F p = s * asin_series_double<F>(z);
    F middle = 1.5707963267948966d - (x + (p - 6.123233995736766e-17d));
    F right = 2.0d * (s + p);
    F left = 3.141592653589793d - (right - 1.2246467991473532e-16d);
    return x > 0.5d ? right : (x < -0.5d ? left : middle);
}

float acos(float x) { return acos_float<float>(x); }
uniform float acos(uniform float x) { return acos_float<uniform float>(x); }
double acos(double x) { return acos_double<double>(x); }
uniform double acos(uniform double x) { return acos_double<uniform double>(x); }
float16 acos(float16 x) { return (float16)acos((float)x); }
uniform float16 acos(uniform float16 x) { return (uniform float16)acos((uniform float)x); }
