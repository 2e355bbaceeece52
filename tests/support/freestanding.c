// What compiled programs need on Linux for x86 where no C library for it is installed; the file that includes this defines run().
#include <stddef.h>
#include <stdint.h>

static int run(void);

static long system_call(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
    return result;
}

static void finish(int status) {
    system_call(1, status, 0, 0);
    __builtin_unreachable();
}

__attribute__((force_align_arg_pointer, noreturn)) void _start(void) {
    finish(run());
    __builtin_unreachable();
}

void *memcpy(void *to, const void *from, size_t count) {
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(count) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    if ((uintptr_t)to - (uintptr_t)from >= count)
        return memcpy(to, from, count);
    volatile char *end = (char *)to + count;
    for (const char *at = (const char *)from + count; count > 0; count--)
        *--end = *--at;
    return to;
}

void *memset(void *to, int value, size_t count) {
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(value) : "memory");
    return to;
}

void abort(void) { finish(134); }
int fflush(void *stream) { return 0; }

static char heap[1 << 20];
static size_t used;

int posix_memalign(void **result, size_t alignment, size_t count) {
    size_t padding = -((uintptr_t)heap + used) & (alignment - 1);
    if (used + padding + count > sizeof heap)
        return 12;
    *result = heap + used + padding;
    used += padding + count;
    return 0;
}

void free(void *pointer) {}

// Division of 64 bits, bit by bit.
static uint64_t divided(uint64_t left, uint64_t right, uint64_t *rest) {
    uint64_t quotient = 0, remainder = 0;
    for (int bit = 63; bit >= 0; bit--) {
        int carry = remainder >> 63;
        remainder = remainder << 1 | (left >> bit & 1);
        if (carry || remainder >= right) {
            remainder -= right;
            quotient |= (uint64_t)1 << bit;
        }
    }
    *rest = remainder;
    return quotient;
}

uint64_t __udivdi3(uint64_t left, uint64_t right) {
    uint64_t rest;
    return divided(left, right, &rest);
}

uint64_t __umoddi3(uint64_t left, uint64_t right) {
    uint64_t rest;
    divided(left, right, &rest);
    return rest;
}

int64_t __divdi3(int64_t left, int64_t right) {
    uint64_t quotient = __udivdi3(left < 0 ? -(uint64_t)left : (uint64_t)left, right < 0 ? -(uint64_t)right : (uint64_t)right);
    return (left < 0) != (right < 0) ? -quotient : quotient;
}

int64_t __moddi3(int64_t left, int64_t right) {
    uint64_t rest = __umoddi3(left < 0 ? -(uint64_t)left : (uint64_t)left, right < 0 ? -(uint64_t)right : (uint64_t)right);
    return left < 0 ? -rest : rest;
}
