// Calls run-tests linked into one program: the arrays they fill go to the file "results" one after the other, 0x1e to
// standard output behind what each prints. A generated file includes this one behind COUNT, TABLE, INPUTS and OUTPUTS.
#ifdef FREESTANDING
#include "freestanding.c"

static char pages[1 << 20] __attribute__((aligned(4096)));
static size_t taken;

static char *reserve(size_t count) {
    char *start = pages + taken;
    taken += count;
    if (taken > sizeof pages)
        abort();
    return start;
}

static int protect(char *start, size_t count, int readable) { return system_call(125, (long)start, count, readable ? 3 : 0); }

static void append_result(const void *bytes, size_t count) {
    static int file = -1;
    if (file < 0)
        file = system_call(5, (long)"results", 0101, 0600);
    if (system_call(4, file, (long)bytes, count) != (long)count)
        abort();
}

static void end_text(void) { system_call(4, 1, (long)"\x1e", 1); }
int printf(const char *format, ...) { abort(); }
int snprintf(char *to, size_t count, const char *format, ...) { abort(); }
#else
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static char *reserve(size_t count) { return mmap(0, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static int protect(char *start, size_t count, int readable) { return mprotect(start, count, readable ? 3 : 0); }

static void append_result(const void *bytes, size_t count) {
    static FILE *file;
    if (!file)
        file = fopen("results", "wb");
    if (fwrite(bytes, 1, count, file) != count || fflush(file) != 0)
        abort();
}

static void end_text(void) {
    putchar(0x1e);
    fflush(stdout);
}

static int run(void);
int main(void) { return run(); }
#endif

typedef void test_function(double *out, float *f, int32_t *i, int n);
static test_function *const functions[COUNT] = {TABLE};
enum { PAGE = 4096 };

struct area { char *start; size_t room; };

// Memory between two pages that must not be touched.
static struct area guarded(size_t count) {
    struct area area = {.room = (count + PAGE - 1) / PAGE * PAGE};
    char *start = reserve(area.room + 2 * PAGE);
    area.start = start + PAGE;
    if (protect(start, PAGE, 0) != 0 || protect(area.start + area.room, PAGE, 0) != 0)
        abort();
    return area;
}

static int run(void) {
    struct area outputs = guarded(OUTPUTS * sizeof(double)), inputs[2];
    inputs[0] = guarded(INPUTS * sizeof(float)), inputs[1] = guarded(INPUTS * sizeof(int32_t));
    for (int number = 0; number < COUNT; number++) {
        // Arrays end where memory ends, or begin where it begins.
        int at_end = number % 2;
        double *out = (double *)(outputs.start + (at_end ? outputs.room - OUTPUTS * sizeof(double) : 0));
        float *f = (float *)(inputs[0].start + (at_end ? inputs[0].room - INPUTS * sizeof(float) : 0));
        int32_t *i = (int32_t *)(inputs[1].start + (at_end ? inputs[1].room - INPUTS * sizeof(int32_t) : 0));
        for (int k = 0; k < OUTPUTS; k++)
            out[k] = 0;
        for (int k = 0; k < INPUTS; k++) {
            f[k] = ((k * 23 + 5) % 64 - 31) * 0.5f + (k % 5) * 0.0625f;
            i[k] = (k * k * 7 + 3 * k) % 61 - 24;
        }
        functions[number](out, f, i, INPUTS);
        end_text();
        append_result(out, OUTPUTS * sizeof(double));
    }
    return 0;
}
