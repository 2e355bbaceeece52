// Counting bits, and floating-point numbers as bit patterns.

#include "attributes.isph"

int32 popcnt(int32 v) { return __population_count(v); }
uniform int32 popcnt(uniform int32 v) { return __population_count(v); }
int32 popcnt(int64 v) { return (int32)__population_count(v); }
uniform int32 popcnt(uniform int64 v) { return (uniform int32)__population_count(v); }
ACTIVE_LANES uniform int32 popcnt(bool v) { return (uniform int32)__population_count(__pack_bits(__active() & v)); }

#define COUNT_ZEROS(T) \
    T count_leading_zeros(T v) { return __leading_zeros(v); } \
    uniform T count_leading_zeros(uniform T v) { return __leading_zeros(v); } \
    T count_trailing_zeros(T v) { return __trailing_zeros(v); } \
    uniform T count_trailing_zeros(uniform T v) { return __trailing_zeros(v); }
COUNT_ZEROS(int32)
COUNT_ZEROS(uint32)
COUNT_ZEROS(int64)
COUNT_ZEROS(uint64)

// F a floating-point type, U the unsigned integer of its width, SIGN the bit of the sign.
#define PATTERN(F, U, SIGN) \
    U intbits(F v) { return __bits(v); } \
    uniform U intbits(uniform F v) { return __bits(v); } \
    U signbits(F v) { return __bits(v) & SIGN; } \
    uniform U signbits(uniform F v) { return __bits(v) & SIGN; }
PATTERN(float16, uint16, (uniform uint16)0x8000)
PATTERN(float, uint32, 0x80000000)
PATTERN(double, uint64, 0x8000000000000000)

#define FROM_PATTERN(NAME, F, I) \
    F NAME(I v) { return __float_of_bits(v); } \
    uniform F NAME(uniform I v) { return __float_of_bits(v); }
FROM_PATTERN(float16bits, float16, uint16)
FROM_PATTERN(float16bits, float16, int16)
FROM_PATTERN(floatbits, float, uint32)
FROM_PATTERN(floatbits, float, int32)
FROM_PATTERN(doublebits, double, uint64)
