// Exclusive scans over the active lanes, in log2(W) steps: in each, a lane takes over what the lane 1, 2, 4, ... below has.
#include "types.isph"

// Inactive lanes take part with the identity. The steps are made with all lanes on.
#define SCAN(NAME, T, OPERATION, IDENTITY) \
    T NAME(T v) { \
        bool on = __active(); \
        T sum; \
        unmasked { \
            sum = on ? v : (T)(IDENTITY); \
            sum = __shuffle(sum, programIndex - 1); \
            sum = programIndex == 0 ? (T)(IDENTITY) : sum; \
            for (uniform int32 step = 1; step < programCount; step *= 2) { \
                T below = __shuffle(sum, programIndex - step); \
                sum = programIndex >= step ? sum OPERATION below : sum; \
            } \
        } \
        return sum; \
    }
#define SCAN_ADD(T) SCAN(exclusive_scan_add, T, +, 0)
#define SCAN_AND(T) SCAN(exclusive_scan_and, T, &, -1)
#define SCAN_OR(T) SCAN(exclusive_scan_or, T, |, 0)
NUMBERS(SCAN_ADD)
INTEGERS(SCAN_AND)
INTEGERS(SCAN_OR)
