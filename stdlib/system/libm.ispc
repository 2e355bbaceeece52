// --math-lib=system: the C library's functions, called once for each active lane.

#define ONE(NAME, T) \
    uniform T NAME(uniform T x) { return __c_##NAME(x); } \
    T NAME(T x) { \
        T result = x; \
        foreach_active (lane) \
            result = __c_##NAME(__extract(x, lane)); \
        return result; \
    }
#define TWO(NAME, T) \
    uniform T NAME(uniform T x, uniform T y) { return __c_##NAME(x, y); } \
    T NAME(T x, T y) { \
        T result = x; \
        foreach_active (lane) \
            result = __c_##NAME(__extract(x, lane), __extract(y, lane)); \
        return result; \
    }
ONE(acos, float)
ONE(acos, double)
ONE(asin, float)
ONE(asin, double)
ONE(atan, float)
ONE(atan, double)
ONE(cbrt, float)
ONE(cbrt, double)
ONE(cos, float)
ONE(cos, double)
ONE(cosh, float)
ONE(cosh, double)
ONE(erf, float)
ONE(erf, double)
ONE(erfc, float)
ONE(erfc, double)
ONE(exp, float)
ONE(exp, double)
ONE(exp2, float)
ONE(exp2, double)
ONE(expm1, float)
ONE(expm1, double)
ONE(log, float)
ONE(log, double)
ONE(log1p, float)
ONE(log1p, double)
ONE(log2, float)
ONE(log2, double)
ONE(sin, float)
ONE(sin, double)
ONE(sinh, float)
ONE(sinh, double)
ONE(tan, float)
ONE(tan, double)
ONE(tanh, float)
ONE(tanh, double)
TWO(atan2, float)
TWO(atan2, double)
TWO(pow, float)
TWO(pow, double)

#define SINCOS(T) \
    void sincos(T x, varying T * uniform s, varying T * uniform c) { \
        *s = sin(x); \
        *c = cos(x); \
    } \
    void sincos(uniform T x, uniform T * uniform s, uniform T * uniform c) { \
        *s = sin(x); \
        *c = cos(x); \
    }
SINCOS(float)
SINCOS(double)
