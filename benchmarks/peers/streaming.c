/* The streaming kernels in C, for the compiler's own vectoriser, and the loop that times any of them. */
#include <time.h>

#define KERNEL(NAME) void NAME(float *restrict a, float *restrict b, float *restrict c, float s, int n)

KERNEL(c_increment) {
    for (int i = 0; i < n; i++)
        a[i] += 1;
}

KERNEL(c_copy) {
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}

KERNEL(c_saxpy) {
    for (int i = 0; i < n; i++)
        a[i] = s * b[i] + c[i];
}

KERNEL(c_triad) {
    for (int i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

KERNEL(c_reduce) {
    for (int i = 0; i < n; i++)
        a[i] = b[i / 2];
}

KERNEL(c_deinterleave) {
    for (int i = 0; i < n; i++) {
        a[i] = b[2 * i];
        c[i] = b[2 * i + 1];
    }
}

struct point {
    float x, y, z;
};

KERNEL(c_structs) {
    struct point *p = (struct point *)b;
    for (int i = 0; i < n; i++)
        a[i] = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
}

typedef void (*kernel)(float *, float *, float *, float, int);

/* Nanoseconds a call, over `repeats` calls in a row. */
double time_kernel(kernel f, float *a, float *b, float *c, float s, int n, int repeats) {
    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int r = 0; r < repeats; r++)
        f(a, b, c, s, n);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    return ((stop.tv_sec - start.tv_sec) * 1e9 + (stop.tv_nsec - start.tv_nsec)) / repeats;
}
