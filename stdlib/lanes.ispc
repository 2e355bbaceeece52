// Movement across lanes. All of it ignores the mask: inactive lanes are read like active ones.
#include "types.isph"

#define MOVEMENT(T) \
    T broadcast(T v, uniform int32 i) { return __extract(v, i); } \
    T rotate(T v, uniform int32 n) { return __shuffle(v, programIndex + n); } \
    T shift(T v, uniform int32 n) { \
        T moved = __shuffle(v, programIndex + n); \
        int32 from = programIndex + n; \
        return from >= 0 & from < programCount ? moved : (T)0; \
    } \
    T shuffle(T v, int32 p) { return __shuffle(v, p); } \
    T shuffle(T a, T b, int32 p) { \
        T first = __shuffle(a, p), second = __shuffle(b, p); \
        return (p & programCount) == 0 ? first : second; \
    }
NUMBERS(MOVEMENT)

#define ELEMENT(T) \
    uniform T extract(T v, uniform int32 i) { return __extract(v, i); } \
    T insert(T v, uniform int32 i, uniform T x) { return __insert(v, i, x); }
NUMBERS(ELEMENT)
ELEMENT(bool)
