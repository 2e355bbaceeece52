// Movement across lanes. All of it ignores the mask: inactive lanes are read like active ones.
#include "types.isph"

#define MOVEMENT(T) \
    T broadcast(T v, uniform int32 i) { return __shuffle(v, (int32)i); } \
    T rotate(T v, uniform int32 n) { return __shuffle(v, programIndex + n); } \
    __attribute__((slow_unless_constant)) T shift(T v, uniform int32 n) { \
        int32 from = programIndex + n; \
        T moved = __shuffle(v, from); \
        return (uint32)from < (uint32)programCount ? moved : (T)0; \
    } \
    T shuffle(T v, int32 p) { return __shuffle(v, p); } \
    T shuffle(T a, T b, int32 p) { return __shuffle_two(a, b, p); }
NUMBERS(MOVEMENT)

#define ELEMENT(T) \
    uniform T extract(T v, uniform int32 i) { return __extract(v, i); } \
    __attribute__((fills_lanes)) T insert(T v, uniform int32 i, uniform T x) { return __insert(v, i, x); }
NUMBERS(ELEMENT)
ELEMENT(bool)
