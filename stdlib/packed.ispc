// Packed loads and stores: the active lanes take or give consecutive elements.
#include "attributes.isph"
#include "types.isph"

#define PACKED_STORE(NAME, T) \
    ACTIVE_LANES uniform int32 NAME(uniform T a[], T v) { \
        bool on = __active(); \
        uniform int32 count = (uniform int32)__population_count(__pack_bits(on)); \
        __store_active(a, v, on); \
        return count; \
    }
#define PACKED(T) \
    PACKED_STORE(packed_store_active, T) \
    PACKED_STORE(packed_store_active2, T) \
    ACTIVE_LANES uniform int32 packed_load_active(uniform T a[], varying T * uniform v) { \
        bool on = __active(); \
        *v = __load_active(a, on); \
        return (uniform int32)__population_count(__pack_bits(on)); \
    }
NUMBERS(PACKED)

#define PACKED_STORE_IF(T) \
    ACTIVE_LANES uniform int32 packed_store_active(bool c, uniform T a[], T v) { \
        bool on = __active() & c; \
        uniform int32 count = (uniform int32)__population_count(__pack_bits(on)); \
        __store_active(a, v, on); \
        return count; \
    }
PACKED_STORE_IF(int32)
PACKED_STORE_IF(int64)
