// Atomic operations. The active lanes take their turns in increasing order; each gets the value it found.
//
// _global is atomic across threads, _local among the lanes of the gang alone: plain loads and stores, as nothing else of
// the gang runs in between.

// The address of one lane.
static inline void * uniform address_in_lane(void * varying p, uniform int64 lane) {
    return (void * uniform)__extract((int64)p, (uniform int32)lane);
}

// STEP(T, p, x) is one turn: an expression that yields the old value.
#define TURNS(NAME, T, STEP) \
    T NAME(uniform T * uniform p, T v) { \
        T old; \
        foreach_active (lane) { \
            uniform T x = __extract(v, (uniform int32)lane); \
            old = STEP(T, p, x); \
        } \
        return old; \
    } \
    uniform T NAME(uniform T * uniform p, uniform T v) { return STEP(T, p, v); } \
    T NAME(uniform T * varying p, T v) { \
        T old; \
        foreach_active (lane) { \
            uniform T * uniform q = (uniform T * uniform)address_in_lane((void * varying)p, lane); \
            uniform T x = __extract(v, (uniform int32)lane); \
            old = STEP(T, q, x); \
        } \
        return old; \
    }

#define EXCHANGES(NAME, T, STEP) \
    T NAME(uniform T * uniform p, T compare, T v) { \
        T old; \
        foreach_active (lane) { \
            uniform T c = __extract(compare, (uniform int32)lane), x = __extract(v, (uniform int32)lane); \
            old = STEP(T, p, c, x); \
        } \
        return old; \
    } \
    uniform T NAME(uniform T * uniform p, uniform T compare, uniform T v) { return STEP(T, p, compare, v); } \
    T NAME(uniform T * varying p, T compare, T v) { \
        T old; \
        foreach_active (lane) { \
            uniform T * uniform q = (uniform T * uniform)address_in_lane((void * varying)p, lane); \
            uniform T c = __extract(compare, (uniform int32)lane), x = __extract(v, (uniform int32)lane); \
            old = STEP(T, q, c, x); \
        } \
        return old; \
    }

// One turn among the lanes: the new value is stored, the old one returned.
#define LOCAL_STEP(NAME, T, RESULT) \
    static inline uniform T local_##NAME(uniform T * uniform p, uniform T v) { \
        uniform T old = *p; \
        *p = RESULT; \
        return old; \
    }
#define LOCAL_ADD(T, p, x) local_add(p, x)
#define LOCAL_SUBTRACT(T, p, x) local_subtract(p, x)
#define LOCAL_MIN(T, p, x) local_min(p, x)
#define LOCAL_MAX(T, p, x) local_max(p, x)
#define LOCAL_AND(T, p, x) local_and(p, x)
#define LOCAL_OR(T, p, x) local_or(p, x)
#define LOCAL_XOR(T, p, x) local_xor(p, x)
#define LOCAL_SWAP(T, p, x) local_swap(p, x)
#define LOCAL_EXCHANGE(T, p, c, x) local_compare_exchange(p, c, x)
#define GLOBAL_ADD(T, p, x) __atomic_add(p, x)
#define GLOBAL_SUBTRACT(T, p, x) __atomic_subtract(p, x)
#define GLOBAL_MIN(T, p, x) __atomic_min(p, x)
#define GLOBAL_MAX(T, p, x) __atomic_max(p, x)
#define GLOBAL_AND(T, p, x) __atomic_and(p, x)
#define GLOBAL_OR(T, p, x) __atomic_or(p, x)
#define GLOBAL_XOR(T, p, x) __atomic_xor(p, x)
#define GLOBAL_SWAP(T, p, x) __atomic_swap(p, x)
#define GLOBAL_EXCHANGE(T, p, c, x) global_compare_exchange(p, c, x)

#define ARITHMETIC(T) \
    LOCAL_STEP(add, T, old + v) \
    LOCAL_STEP(subtract, T, old - v) \
    LOCAL_STEP(min, T, v < old ? v : old) \
    LOCAL_STEP(max, T, v > old ? v : old) \
    LOCAL_STEP(swap, T, v) \
    static inline uniform T local_compare_exchange(uniform T * uniform p, uniform T compare, uniform T v) { \
        uniform T old = *p; \
        if (old == compare) \
            *p = v; \
        return old; \
    } \
    TURNS(atomic_add_local, T, LOCAL_ADD) \
    TURNS(atomic_add_global, T, GLOBAL_ADD) \
    TURNS(atomic_subtract_local, T, LOCAL_SUBTRACT) \
    TURNS(atomic_subtract_global, T, GLOBAL_SUBTRACT) \
    TURNS(atomic_min_local, T, LOCAL_MIN) \
    TURNS(atomic_min_global, T, GLOBAL_MIN) \
    TURNS(atomic_max_local, T, LOCAL_MAX) \
    TURNS(atomic_max_global, T, GLOBAL_MAX) \
    TURNS(atomic_swap_local, T, LOCAL_SWAP) \
    TURNS(atomic_swap_global, T, GLOBAL_SWAP) \
    EXCHANGES(atomic_compare_exchange_local, T, LOCAL_EXCHANGE) \
    EXCHANGES(atomic_compare_exchange_global, T, GLOBAL_EXCHANGE)

#define BITS(T) \
    LOCAL_STEP(and, T, old & v) \
    LOCAL_STEP(or, T, old | v) \
    LOCAL_STEP(xor, T, old ^ v) \
    static inline uniform T global_compare_exchange(uniform T * uniform p, uniform T compare, uniform T v) { \
        return __atomic_compare_exchange(p, compare, v); \
    } \
    TURNS(atomic_and_local, T, LOCAL_AND) \
    TURNS(atomic_and_global, T, GLOBAL_AND) \
    TURNS(atomic_or_local, T, LOCAL_OR) \
    TURNS(atomic_or_global, T, GLOBAL_OR) \
    TURNS(atomic_xor_local, T, LOCAL_XOR) \
    TURNS(atomic_xor_global, T, GLOBAL_XOR)

// Numbers are compared by their value: the bits that are exchanged are those that were found there.
#define EXCHANGE_OF_FLOATS(T, U) \
    static inline uniform T global_compare_exchange(uniform T * uniform p, uniform T compare, uniform T v) { \
        uniform U * uniform q = (uniform U * uniform)p; \
        uniform T old = *p; \
        while (old == compare) { \
            uniform U found = __atomic_compare_exchange(q, __bits(old), __bits(v)); \
            if (found == __bits(old)) \
                return old; \
            old = __float_of_bits(found); \
        } \
        return old; \
    }
BITS(int32)
BITS(uint32)
BITS(int64)
BITS(uint64)
EXCHANGE_OF_FLOATS(float, uint32)
EXCHANGE_OF_FLOATS(double, uint64)
ARITHMETIC(int32)
ARITHMETIC(uint32)
ARITHMETIC(int64)
ARITHMETIC(uint64)
ARITHMETIC(float)
ARITHMETIC(double)

// Pointers are exchanged as the integers they are.
#define POINTERS(SUFFIX) \
    void * varying atomic_swap_##SUFFIX(void * uniform * uniform p, void * varying v) { \
        return (void * varying)atomic_swap_##SUFFIX((uniform int64 * uniform)p, (int64)v); \
    } \
    void * uniform atomic_swap_##SUFFIX(void * uniform * uniform p, void * uniform v) { \
        return (void * uniform)atomic_swap_##SUFFIX((uniform int64 * uniform)p, (uniform int64)v); \
    } \
    void * varying atomic_swap_##SUFFIX(void * uniform * varying p, void * varying v) { \
        return (void * varying)atomic_swap_##SUFFIX((uniform int64 * varying)p, (int64)v); \
    } \
    void * varying atomic_compare_exchange_##SUFFIX(void * uniform * uniform p, void * varying c, void * varying v) { \
        return (void * varying)atomic_compare_exchange_##SUFFIX((uniform int64 * uniform)p, (int64)c, (int64)v); \
    } \
    void * uniform atomic_compare_exchange_##SUFFIX(void * uniform * uniform p, void * uniform c, void * uniform v) { \
        return (void * uniform)atomic_compare_exchange_##SUFFIX((uniform int64 * uniform)p, (uniform int64)c, \
                                                                (uniform int64)v); \
    } \
    void * varying atomic_compare_exchange_##SUFFIX(void * uniform * varying p, void * varying c, void * varying v) { \
        return (void * varying)atomic_compare_exchange_##SUFFIX((uniform int64 * varying)p, (int64)c, (int64)v); \
    }
POINTERS(local)
POINTERS(global)
