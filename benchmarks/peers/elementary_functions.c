/* Elementary functions over arrays: gcc -O3 -ffast-math turns the calls into those of glibc's vector library, libmvec.
   In prototypes because glibc's header offers these functions to the vectoriser from one release on only. */
#define VECTOR __attribute__((const, simd("notinbranch")))
VECTOR float expf(float);
VECTOR float logf(float);
VECTOR float sinf(float);
VECTOR float cosf(float);
VECTOR float powf(float, float);
VECTOR float atan2f(float, float);
VECTOR float tanhf(float);
VECTOR float erff(float);

#define ONE(NAME) \
    void c_##NAME(float *restrict a, float *restrict b, float *restrict c, float s, int n) { \
        for (int i = 0; i < n; i++) \
            a[i] = NAME##f(b[i]); \
    }
#define TWO(NAME) \
    void c_##NAME(float *restrict a, float *restrict b, float *restrict c, float s, int n) { \
        for (int i = 0; i < n; i++) \
            a[i] = NAME##f(b[i], c[i]); \
    }
ONE(exp)
ONE(log)
ONE(sin)
ONE(cos)
TWO(pow)
TWO(atan2)
ONE(tanh)
ONE(erf)
