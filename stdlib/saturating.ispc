// Arithmetic that stays in the range of its type: saturating operations, averages, dot products of packed numbers.
#include "types.isph"

#define SATURATING_SUMS(T) \
    T saturating_add(T a, T b) { return __saturating_add(a, b); } \
    uniform T saturating_add(uniform T a, uniform T b) { return __saturating_add(a, b); } \
    T saturating_sub(T a, T b) { return __saturating_sub(a, b); } \
    uniform T saturating_sub(uniform T a, uniform T b) { return __saturating_sub(a, b); }
INTEGERS(SATURATING_SUMS)

// The quotient of the smallest number and -1 is the only one out of range.
#define SATURATING_QUOTIENT(RATE, T, LEAST, MOST) \
    RATE T saturating_div(RATE T a, RATE T b) { return a == (LEAST) && b == -1 ? (RATE T)(MOST) : a / b; }
#define UNSIGNED_QUOTIENT(T) \
    T saturating_div(T a, T b) { return a / b; } \
    uniform T saturating_div(uniform T a, uniform T b) { return a / b; }
#define SIGNED_QUOTIENT(T, LEAST, MOST) \
    SATURATING_QUOTIENT(varying, T, LEAST, MOST) \
    SATURATING_QUOTIENT(uniform, T, LEAST, MOST)
SIGNED_QUOTIENT(int8, INT8_MIN, INT8_MAX)
SIGNED_QUOTIENT(int16, INT16_MIN, INT16_MAX)
SIGNED_QUOTIENT(int32, INT32_MIN, INT32_MAX)
SIGNED_QUOTIENT(int64, INT64_MIN, INT64_MAX)
UNSIGNED_INTEGERS(UNSIGNED_QUOTIENT)

// The product is computed in a type of twice the width.
#define PRODUCT(RATE, T, WIDE, LEAST, MOST) \
    RATE T saturating_mul(RATE T a, RATE T b) { \
        return (RATE T)__min((RATE WIDE)(MOST), __max((RATE WIDE)(LEAST), (RATE WIDE)a * (RATE WIDE)b)); \
    }
#define SATURATING_PRODUCT(T, WIDE, LEAST, MOST) \
    PRODUCT(varying, T, WIDE, LEAST, MOST) \
    PRODUCT(uniform, T, WIDE, LEAST, MOST)
SATURATING_PRODUCT(int8, int32, INT8_MIN, INT8_MAX)
SATURATING_PRODUCT(int16, int32, INT16_MIN, INT16_MAX)
SATURATING_PRODUCT(int32, int64, INT32_MIN, INT32_MAX)
SATURATING_PRODUCT(uint8, uint32, 0, UINT8_MAX)
SATURATING_PRODUCT(uint16, uint32, 0, UINT16_MAX)
SATURATING_PRODUCT(uint32, uint64, 0, UINT32_MAX)

// The upper 64 bits of a product, from products of halves.
template <typename U> static inline U upper_product(U a, U b) {
    U a_low = a & 0xFFFFFFFF, a_high = a >> 32, b_low = b & 0xFFFFFFFF, b_high = b >> 32;
    U middle = a_high * b_low + (a_low * b_low >> 32);
    U other = a_low * b_high + (middle & 0xFFFFFFFF);
    return a_high * b_high + (middle >> 32) + (other >> 32);
}

template <typename U> static inline U saturating_mul_unsigned(U a, U b) {
    return upper_product<U>(a, b) != 0 ? (U)UINT64_MAX : a * b;
}

template <typename L, typename U> static inline L saturating_mul_signed(L a, L b) {
    U size_a = a < 0 ? 0 - (U)a : (U)a, size_b = b < 0 ? 0 - (U)b : (U)b;
    U limit = (a < 0) != (b < 0) ? (U)0x8000000000000000 : (U)0x7FFFFFFFFFFFFFFF;
    U size = size_a * size_b;
    size = upper_product<U>(size_a, size_b) != 0 || size > limit ? limit : size;
    return (a < 0) != (b < 0) ? (L)(0 - size) : (L)size;
}

int64 saturating_mul(int64 a, int64 b) { return saturating_mul_signed<int64, uint64>(a, b); }
uniform int64 saturating_mul(uniform int64 a, uniform int64 b) {
    return saturating_mul_signed<uniform int64, uniform uint64>(a, b);
}
uint64 saturating_mul(uint64 a, uint64 b) { return saturating_mul_unsigned<uint64>(a, b); }
uniform uint64 saturating_mul(uniform uint64 a, uniform uint64 b) { return saturating_mul_unsigned<uniform uint64>(a, b); }

#define AVERAGES(T) \
    T avg_up(T a, T b) { return (T)(((int32)a + (int32)b + 1) / 2); } \
    T avg_down(T a, T b) { return (T)(((int32)a + (int32)b) / 2); }
AVERAGES(int8)
AVERAGES(uint8)
AVERAGES(int16)
AVERAGES(uint16)

// Part number k of a packed number, as A or B says: signed or unsigned, 8 or 16 bits. Sums are exact in 64 bits.
#define DOT4(NAME, BUILTIN, R, LEAST, MOST) \
    static inline int64 exact_##NAME(uint32 a, uint32 b) { return BUILTIN(a, b); } \
    R NAME(uint32 a, uint32 b, R acc) { return (R)((uint32)BUILTIN(a, b) + (uint32)acc); } \
    SATURATED_DOT(NAME, R, LEAST, MOST)
#define DOT2(NAME, A, B, R, LEAST, MOST) \
    EXACT_DOT2(NAME, A, B) \
    R NAME(uint32 a, uint32 b, R acc) { return (R)(exact_##NAME(a, b) + (int64)acc); } \
    SATURATED_DOT(NAME, R, LEAST, MOST)
#define EXACT_DOT2(NAME, A, B) \
    static inline int64 exact_##NAME(uint32 a, uint32 b) { \
        return (int64)(A)(a & 0xFFFF) * (int64)(B)(b & 0xFFFF) + (int64)(A)(a >> 16) * (int64)(B)(b >> 16); \
    }
#define SATURATED_DOT(NAME, R, LEAST, MOST) \
    R NAME##_sat(uint32 a, uint32 b, R acc) { \
        return (R)__min((int64)(MOST), __max((int64)(LEAST), exact_##NAME(a, b) + (int64)acc)); \
    }
DOT4(dot4add_u8i8packed, __dot_unsigned_signed_bytes, int32, INT32_MIN, INT32_MAX)
DOT4(dot4add_u8u8packed, __dot_unsigned_bytes, uint32, 0, UINT32_MAX)
DOT4(dot4add_i8i8packed, __dot_signed_bytes, int32, INT32_MIN, INT32_MAX)
DOT2(dot2add_u16i16packed, uint16, int16, int32, INT32_MIN, INT32_MAX)
DOT2(dot2add_u16u16packed, uint16, uint16, uint32, 0, UINT32_MAX)
EXACT_DOT2(dot2add_i16i16packed, int16, int16)
int32 dot2add_i16i16packed(uint32 a, uint32 b, int32 acc) { return (int32)((uint32)__dot_signed_halves(a, b) + (uint32)acc); }
SATURATED_DOT(dot2add_i16i16packed, int32, INT32_MIN, INT32_MAX)
