/* Elementary functions over arrays: gcc -O3 -ffast-math turns the calls into those of glibc's vector library, libmvec; where
   arguments are uniform the C library's scalar functions are called. In prototypes because glibc's header offers the
   vector functions to the vectoriser from one release on only. */
#ifdef TYPE_IS_DOUBLE
typedef double real;
#define NAMED(NAME) NAME
#else
typedef float real;
#define NAMED(NAME) NAME##f
#endif
#define VECTOR __attribute__((const, simd("notinbranch")))
#define SCALAR_LOOP __attribute__((optimize("no-tree-vectorize")))

#define ONE(NAME) \
    VECTOR real NAMED(NAME)(real); \
    void varying_##NAME(real *restrict a, real *restrict b, real *restrict c, float s, int n) { \
        for (int i = 0; i < n; i++) \
            a[i] = NAMED(NAME)(b[i]); \
    } \
    SCALAR_LOOP void uniform_##NAME(real *restrict a, real *restrict b, real *restrict c, float s, int n) { \
        for (int i = 0; i < n; i++) \
            a[i] = NAMED(NAME)(b[i]); \
    }
#define TWO(NAME) \
    VECTOR real NAMED(NAME)(real, real); \
    void varying_##NAME(real *restrict a, real *restrict b, real *restrict c, float s, int n) { \
        for (int i = 0; i < n; i++) \
            a[i] = NAMED(NAME)(b[i], c[i]); \
    } \
    SCALAR_LOOP void uniform_##NAME(real *restrict a, real *restrict b, real *restrict c, float s, int n) { \
        for (int i = 0; i < n; i++) \
            a[i] = NAMED(NAME)(b[i], c[i]); \
    }
ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log1p) ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan)
ONE(sinh) ONE(cosh) ONE(tanh) ONE(cbrt) ONE(erf) ONE(erfc) TWO(pow) TWO(atan2)
