// Calls run-tests linked into one program: argv[1] takes the arrays they fill, one after the other, 0x1e ends what each prints.
// The functions' names come from a generated file that includes this one, with COUNT, INPUTS, OUTPUTS and the table defined.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef void test_function(double *out, float *f, int32_t *i, int n);
static test_function *const functions[COUNT] = {TABLE};
enum { PAGE = 4096 };

// Bytes that end where memory ends that may be touched, or begin where it begins.
static void *guarded(size_t bytes, int at_end) {
    size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
    char *start = mmap(0, room + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + PAGE, room, PROT_READ | PROT_WRITE) != 0)
        abort();
    return start + PAGE + (at_end ? room - bytes : 0);
}

int main(int count, char **arguments) {
    FILE *results = fopen(arguments[1], "wb");
    for (int number = 0; number < COUNT; number++) {
        int at_end = number % 2;
        double *out = guarded(OUTPUTS * sizeof(double), at_end);
        float *f = guarded(INPUTS * sizeof(float), at_end);
        int32_t *i = guarded(INPUTS * sizeof(int32_t), at_end);
        for (int k = 0; k < INPUTS; k++) {
            f[k] = ((k * 23 + 5) % 64 - 31) * 0.5f + (k % 5) * 0.0625f;
            i[k] = (k * k * 7 + 3 * k) % 61 - 24;
        }
        functions[number](out, f, i, INPUTS);
        putchar(0x1e);
        fflush(stdout);
        fwrite(out, sizeof(double), OUTPUTS, results);
        fflush(results);
    }
    return fclose(results);
}
