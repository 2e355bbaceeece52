// The mask as a value, and reductions over the active lanes.
#include "attributes.isph"
#include "types.isph"

ACTIVE_LANES uniform bool any(bool v) { return __pack_bits(__active() & v) != 0; }
ACTIVE_LANES uniform bool all(bool v) { return __pack_bits(__active() & !v) == 0; }
ACTIVE_LANES uniform bool none(bool v) { return __pack_bits(__active() & v) == 0; }

ACTIVE_LANES uniform uint64 lanemask() { return __pack_bits(__active()); }
ACTIVE_LANES uniform uint64 packmask(bool v) { return __pack_bits(__active() & v); }

// Inactive lanes take part with the identity of the operation: LEAST for the maximum, MOST for the minimum. The choice
// is made with all lanes on, as a selection leaves inactive lanes unspecified.
#define REDUCE(T, LEAST, MOST) \
    ACTIVE_LANES uniform T reduce_add(T v) { bool on = __active(); uniform T r; unmasked { r = __reduce_add(on ? v : (T)0); } return r; } \
    ACTIVE_LANES uniform T reduce_min(T v) { bool on = __active(); uniform T r; unmasked { r = __reduce_min(on ? v : (T)(MOST)); } return r; } \
    ACTIVE_LANES uniform T reduce_max(T v) { bool on = __active(); uniform T r; unmasked { r = __reduce_max(on ? v : (T)(LEAST)); } return r; } \
    ACTIVE_LANES uniform bool reduce_equal(T v) { \
        uniform uint64 lanes = __pack_bits(__active()); \
        if (lanes == 0) return false; \
        uniform T first = __extract(v, (uniform int32)__trailing_zeros(lanes)); \
        return __pack_bits(__active() & (v != first)) == 0 & first == first; \
    } \
    ACTIVE_LANES uniform bool reduce_equal(T v, uniform T * uniform out) { \
        uniform uint64 lanes = __pack_bits(__active()); \
        if (lanes == 0) return false; \
        uniform T first = __extract(v, (uniform int32)__trailing_zeros(lanes)); \
        uniform bool equal = __pack_bits(__active() & (v != first)) == 0 & first == first; \
        if (equal) *out = first; \
        return equal; \
    }
REDUCE(int8, INT8_MIN, INT8_MAX)
REDUCE(int16, INT16_MIN, INT16_MAX)
REDUCE(int32, INT32_MIN, INT32_MAX)
REDUCE(int64, INT64_MIN, INT64_MAX)
REDUCE(uint8, 0, UINT8_MAX)
REDUCE(uint16, 0, UINT16_MAX)
REDUCE(uint32, 0, UINT32_MAX)
REDUCE(uint64, 0, UINT64_MAX)
REDUCE(float16, -__float_of_bits((uniform uint16)0x7C00), __float_of_bits((uniform uint16)0x7C00))
REDUCE(float, -__float_of_bits(0x7F800000), __float_of_bits(0x7F800000))
REDUCE(double, -__float_of_bits(0x7FF0000000000000), __float_of_bits(0x7FF0000000000000))
