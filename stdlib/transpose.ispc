// Between arrays of structures of k numbers and k varying numbers. Always k * W elements are accessed, whatever the mask.

#define TRANSPOSE(T) \
    void aos_to_soa2(uniform T a[], varying T * uniform v0, varying T * uniform v1) { \
        unmasked { \
            *v0 = a[2 * programIndex]; \
            *v1 = a[2 * programIndex + 1]; \
        } \
    } \
    void aos_to_soa3(uniform T a[], varying T * uniform v0, varying T * uniform v1, varying T * uniform v2) { \
        unmasked { \
            *v0 = a[3 * programIndex]; \
            *v1 = a[3 * programIndex + 1]; \
            *v2 = a[3 * programIndex + 2]; \
        } \
    } \
    void aos_to_soa4(uniform T a[], varying T * uniform v0, varying T * uniform v1, varying T * uniform v2, \
                     varying T * uniform v3) { \
        unmasked { \
            *v0 = a[4 * programIndex]; \
            *v1 = a[4 * programIndex + 1]; \
            *v2 = a[4 * programIndex + 2]; \
            *v3 = a[4 * programIndex + 3]; \
        } \
    } \
    void soa_to_aos2(T v0, T v1, uniform T a[]) { \
        unmasked { \
            a[2 * programIndex] = v0; \
            a[2 * programIndex + 1] = v1; \
        } \
    } \
    void soa_to_aos3(T v0, T v1, T v2, uniform T a[]) { \
        unmasked { \
            a[3 * programIndex] = v0; \
            a[3 * programIndex + 1] = v1; \
            a[3 * programIndex + 2] = v2; \
        } \
    } \
    void soa_to_aos4(T v0, T v1, T v2, T v3, uniform T a[]) { \
        unmasked { \
            a[4 * programIndex] = v0; \
            a[4 * programIndex + 1] = v1; \
            a[4 * programIndex + 2] = v2; \
            a[4 * programIndex + 3] = v3; \
        } \
    }
TRANSPOSE(int32)
TRANSPOSE(int64)
TRANSPOSE(float)
TRANSPOSE(double)
