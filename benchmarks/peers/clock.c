/* The timing loop of all contenders. */
#include <time.h>

typedef void (*kernel)(void *, void *, void *, int, int);

/* Nanoseconds a call, over `repeats` calls in a row. */
double time_kernel(kernel f, void *a, void *b, void *c, int n, int m, int repeats) {
    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int r = 0; r < repeats; r++)
        f(a, b, c, n, m);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    return ((stop.tv_sec - start.tv_sec) * 1e9 + (stop.tv_nsec - start.tv_nsec)) / repeats;
}
