// Blocks of memory, prefetching, streaming accesses.
#include "types.isph"

// The pointer of one lane.
static inline uniform int8 * uniform pointer_of_lane(void * varying p, uniform int64 lane) {
    return (uniform int8 * uniform)__extract((int64)p, (uniform int32)lane);
}

#define BLOCKS(SUFFIX, N) \
    void memcpy##SUFFIX(void * uniform d, const void * uniform s, uniform N n) { \
        __memory_copy(d, (void * uniform)s, (uniform int64)n); \
    } \
    void memmove##SUFFIX(void * uniform d, const void * uniform s, uniform N n) { \
        __memory_move(d, (void * uniform)s, (uniform int64)n); \
    } \
    void memset##SUFFIX(void * uniform p, uniform int8 v, uniform N n) { __memory_set(p, v, (uniform int64)n); } \
    void memcpy##SUFFIX(void * varying d, const void * varying s, N n) { \
        foreach_active (lane) \
            __memory_copy(pointer_of_lane(d, lane), pointer_of_lane((void * varying)s, lane), \
                          __extract((int64)n, (uniform int32)lane)); \
    } \
    void memmove##SUFFIX(void * varying d, const void * varying s, N n) { \
        foreach_active (lane) \
            __memory_move(pointer_of_lane(d, lane), pointer_of_lane((void * varying)s, lane), \
                          __extract((int64)n, (uniform int32)lane)); \
    } \
    void memset##SUFFIX(void * varying p, int8 v, N n) { \
        foreach_active (lane) \
            __memory_set(pointer_of_lane(p, lane), __extract(v, (uniform int32)lane), __extract((int64)n, (uniform int32)lane)); \
    }
BLOCKS(, int32)
BLOCKS(64, int64)

#define PREFETCH(NAME, WRITE, NEARNESS) \
    void NAME(const void * uniform p) { __prefetch((void * uniform)p, WRITE, NEARNESS); } \
    void NAME(const void * uniform p, uniform int8 size) { __prefetch((void * uniform)p, WRITE, NEARNESS); } \
    void NAME(const void * varying p) { \
        foreach_active (lane) \
            __prefetch(pointer_of_lane((void * varying)p, lane), WRITE, NEARNESS); \
    } \
    void NAME(const void * varying p, uniform int8 size) { NAME(p); }
PREFETCH(prefetch_l1, 0, 3)
PREFETCH(prefetch_l2, 0, 2)
PREFETCH(prefetch_l3, 0, 1)
PREFETCH(prefetch_nt, 0, 0)
PREFETCH(prefetchw_l1, 1, 3)
PREFETCH(prefetchw_l2, 1, 2)
PREFETCH(prefetchw_l3, 1, 1)

// Stores pass by the caches. Loads of ordinary memory do not, whatever the instruction.
#define STREAMING(T) \
    T streaming_load(uniform T a[]) { \
        T v; \
        unmasked { v = a[programIndex]; } \
        return v; \
    } \
    uniform T streaming_load_uniform(uniform T a[]) { return a[0]; } \
    void streaming_store(uniform T a[], T v) { \
        unmasked { __store_streaming(a, v); } \
    } \
    void streaming_store(uniform T a[], uniform T v) { __store_streaming(a, v); }
NUMBERS(STREAMING)
