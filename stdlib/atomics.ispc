// Atomic operations. The active lanes take their turns in increasing order; each gets the value it found.
//
// _global is atomic across threads, _local among the lanes of the gang alone: plain loads and stores, as nothing else of
// the gang runs in between.

#include "scan_steps.isph"

// STEP(T, p, x) is one turn: an expression that yields the old value.
#define ONCE(NAME, T, STEP) \
    uniform T NAME(uniform T * uniform p, uniform T v) { return STEP(T, p, v); }
// What the lanes bring along and find lies in memory meanwhile, where a lane is found fastest by its number.
#define TURNS(NAME, T, STEP) \
    T NAME(uniform T * uniform p, T v) { \
        uniform T amounts[programCount], found[programCount]; \
        T old; \
        unmasked { amounts[programIndex] = v; } \
        foreach_active (lane) \
            found[lane] = STEP(T, p, amounts[lane]); \
        unmasked { old = found[programIndex]; } \
        return old; \
    }
// Each lane at an address of its own. Inlined, the turns of a gang with all lanes on stand one after the other, each with
// its address made of scalars; where some are off, a loop goes over the others through the stack.
static inline void * uniform address_in_lane(void * varying p, uniform int64 lane) {
    return (void * uniform)__extract((int64)p, (uniform int32)lane);
}
#define OWN(NAME, T, STEP) \
    inline T NAME(uniform T * varying p, T v) { \
        uniform int64 places[programCount]; \
        uniform T amounts[programCount], found[programCount]; \
        T old; \
        if (__pack_bits(__active()) == __pack_bits((bool)true)) { \
            unmasked { \
                foreach_active (lane) { \
                    uniform T * uniform q = (uniform T * uniform)address_in_lane((void * varying)p, lane); \
                    uniform T x = __extract(v, (uniform int32)lane); \
                    old = STEP(T, q, x); \
                } \
            } \
        } else { \
            unmasked { \
                places[programIndex] = (int64)p; \
                amounts[programIndex] = v; \
            } \
            foreach_active (lane) \
                found[lane] = STEP(T, (uniform T * uniform)places[lane], amounts[lane]); \
            unmasked { old = found[programIndex]; } \
        } \
        return old; \
    }

// All turns at one address as one: the joined values go there, and a lane has found what was there joined with the lanes
// below it, which SCAN gives. BACK(old, below) joins these.
#define TOGETHER(NAME, T, STEP, SCAN, JOIN, BACK) \
    T NAME(uniform T * uniform p, T v) { \
        T below = SCAN(v); \
        uniform int32 last = 63 - (uniform int32)__leading_zeros(__pack_bits(__active())); \
        uniform T x = __extract((T)(JOIN(below, v)), last); \
        uniform T old = STEP(T, p, x); \
        return BACK(old, below); \
    }
#define TOGETHER_ADD(NAME, T, STEP, BACK) \
    T NAME(uniform T * uniform p, T v) { \
        uniform T old = STEP(T, p, reduce_add(v)); \
        return BACK(old, exclusive_scan_add(v)); \
    }
#define BY_SUBTRACT(a, b) a - b

// The last lane's value is stored; each lane but the first finds that of the active lane below it.
#define TOGETHER_SWAP(NAME, T, STEP) \
    T NAME(uniform T * uniform p, T v) { \
        bool on = __active(); \
        T found; \
        unmasked { \
            uniform int32 count = (uniform int32)__population_count(__pack_bits(on)); \
            T front = __compress(v, on); \
            uniform T old = STEP(T, p, __extract(front, count - 1)); \
            found = __expand(__insert(__shuffle(front, programIndex - 1), 0, old), on); \
        } \
        return found; \
    }

#define ALL_TURNS(NAME, T, STEP) ONCE(NAME, T, STEP) TURNS(NAME, T, STEP) OWN(NAME, T, STEP)
#define JOINED_TURNS(NAME, T, STEP, SCAN, JOIN, BACK) \
    ONCE(NAME, T, STEP) TOGETHER(NAME, T, STEP, SCAN, JOIN, BACK) OWN(NAME, T, STEP)
#define JOINED_SUM(NAME, T, STEP, BACK) ONCE(NAME, T, STEP) TOGETHER_ADD(NAME, T, STEP, BACK) OWN(NAME, T, STEP)
#define JOINED_SWAP(NAME, T, STEP) ONCE(NAME, T, STEP) TOGETHER_SWAP(NAME, T, STEP) OWN(NAME, T, STEP)

#define EXCHANGES(NAME, T, STEP) \
    T NAME(uniform T * uniform p, T compare, T v) { \
        uniform T compares[programCount], amounts[programCount], found[programCount]; \
        T old; \
        unmasked { \
            compares[programIndex] = compare; \
            amounts[programIndex] = v; \
        } \
        foreach_active (lane) \
            found[lane] = STEP(T, p, compares[lane], amounts[lane]); \
        unmasked { old = found[programIndex]; } \
        return old; \
    } \
    uniform T NAME(uniform T * uniform p, uniform T compare, uniform T v) { return STEP(T, p, compare, v); } \
    inline T NAME(uniform T * varying p, T compare, T v) { \
        uniform int64 places[programCount]; \
        uniform T compares[programCount], amounts[programCount], found[programCount]; \
        T old; \
        unmasked { \
            places[programIndex] = (int64)p; \
            compares[programIndex] = compare; \
            amounts[programIndex] = v; \
        } \
        foreach_active (lane) \
            found[lane] = STEP(T, (uniform T * uniform)places[lane], compares[lane], amounts[lane]); \
        unmasked { old = found[programIndex]; } \
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

#define EVERY_TYPE(T) \
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
    JOINED_SWAP(atomic_swap_local, T, LOCAL_SWAP) \
    JOINED_SWAP(atomic_swap_global, T, GLOBAL_SWAP) \
    EXCHANGES(atomic_compare_exchange_local, T, LOCAL_EXCHANGE) \
    EXCHANGES(atomic_compare_exchange_global, T, GLOBAL_EXCHANGE)

// Rounding makes the order of the lanes visible.
#define FLOAT_TURNS(T) \
    ALL_TURNS(atomic_add_local, T, LOCAL_ADD) \
    ALL_TURNS(atomic_add_global, T, GLOBAL_ADD) \
    ALL_TURNS(atomic_subtract_local, T, LOCAL_SUBTRACT) \
    ALL_TURNS(atomic_subtract_global, T, GLOBAL_SUBTRACT) \
    ALL_TURNS(atomic_min_local, T, LOCAL_MIN) \
    ALL_TURNS(atomic_min_global, T, GLOBAL_MIN) \
    ALL_TURNS(atomic_max_local, T, LOCAL_MAX) \
    ALL_TURNS(atomic_max_global, T, GLOBAL_MAX)

#define INTEGER_TURNS(T, LEAST, MOST) \
    LOCAL_STEP(and, T, old & v) \
    LOCAL_STEP(or, T, old | v) \
    LOCAL_STEP(xor, T, old ^ v) \
    static inline uniform T global_compare_exchange(uniform T * uniform p, uniform T compare, uniform T v) { \
        return __atomic_compare_exchange(p, compare, v); \
    } \
    static inline SCAN(scan_min, T, BY_MIN, MOST) \
    static inline SCAN(scan_max, T, BY_MAX, LEAST) \
    static inline SCAN(scan_xor, T, BY_XOR, 0) \
    JOINED_SUM(atomic_add_local, T, LOCAL_ADD, BY_ADD) \
    JOINED_SUM(atomic_add_global, T, GLOBAL_ADD, BY_ADD) \
    JOINED_SUM(atomic_subtract_local, T, LOCAL_SUBTRACT, BY_SUBTRACT) \
    JOINED_SUM(atomic_subtract_global, T, GLOBAL_SUBTRACT, BY_SUBTRACT) \
    JOINED_TURNS(atomic_min_local, T, LOCAL_MIN, scan_min, BY_MIN, BY_MIN) \
    JOINED_TURNS(atomic_min_global, T, GLOBAL_MIN, scan_min, BY_MIN, BY_MIN) \
    JOINED_TURNS(atomic_max_local, T, LOCAL_MAX, scan_max, BY_MAX, BY_MAX) \
    JOINED_TURNS(atomic_max_global, T, GLOBAL_MAX, scan_max, BY_MAX, BY_MAX) \
    JOINED_TURNS(atomic_and_local, T, LOCAL_AND, exclusive_scan_and, BY_AND, BY_AND) \
    JOINED_TURNS(atomic_and_global, T, GLOBAL_AND, exclusive_scan_and, BY_AND, BY_AND) \
    JOINED_TURNS(atomic_or_local, T, LOCAL_OR, exclusive_scan_or, BY_OR, BY_OR) \
    JOINED_TURNS(atomic_or_global, T, GLOBAL_OR, exclusive_scan_or, BY_OR, BY_OR) \
    JOINED_TURNS(atomic_xor_local, T, LOCAL_XOR, scan_xor, BY_XOR, BY_XOR) \
    JOINED_TURNS(atomic_xor_global, T, GLOBAL_XOR, scan_xor, BY_XOR, BY_XOR)

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
INTEGER_TURNS(int32, INT32_MIN, INT32_MAX)
INTEGER_TURNS(uint32, 0, UINT32_MAX)
INTEGER_TURNS(int64, INT64_MIN, INT64_MAX)
INTEGER_TURNS(uint64, 0, UINT64_MAX)
EXCHANGE_OF_FLOATS(float, uint32)
EXCHANGE_OF_FLOATS(double, uint64)
FLOAT_TURNS(float)
FLOAT_TURNS(double)
EVERY_TYPE(int32)
EVERY_TYPE(uint32)
EVERY_TYPE(int64)
EVERY_TYPE(uint64)
EVERY_TYPE(float)
EVERY_TYPE(double)

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
