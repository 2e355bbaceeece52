// Pseudo-random numbers: a combined Tausworthe generator of four components (L'Ecuyer 1999). Then the random numbers of
// the processor itself.

struct RNGState {
    unsigned int z1, z2, z3, z4;
};

#define RANDOM(RATE) \
    void seed_rng(RATE RNGState * uniform s, RATE unsigned int seed) { \
        s->z1 = seed; \
        s->z2 = seed ^ 0xBEEFF00D; \
        s->z3 = seed << 16 | seed >> 16; \
        s->z4 = seed << 24 | (seed & 0xFF00) << 8 | (seed >> 8 & 0xFF00) | seed >> 24; \
    } \
    RATE unsigned int random(RATE RNGState * uniform s) { \
        RATE unsigned int z1 = s->z1, z2 = s->z2, z3 = s->z3, z4 = s->z4; \
        z1 = (z1 & 0xFFFFFFFE) << 18 ^ (z1 << 6 ^ z1) >> 13; \
        z2 = (z2 & 0xFFFFFFF8) << 2 ^ (z2 << 2 ^ z2) >> 27; \
        z3 = (z3 & 0xFFFFFFF0) << 7 ^ (z3 << 13 ^ z3) >> 21; \
        z4 = (z4 & 0xFFFFFF80) << 13 ^ (z4 << 3 ^ z4) >> 12; \
        s->z1 = z1; \
        s->z2 = z2; \
        s->z3 = z3; \
        s->z4 = z4; \
        return z1 ^ z2 ^ z3 ^ z4; \
    } \
    RATE float frandom(RATE RNGState * uniform s) { \
        return __float_of_bits((RATE uint32)(0x3F800000 | (random(s) & 0x7FFFFF))) - 1.0f; \
    }
RANDOM(varying)
RANDOM(uniform)

// Random bits of the processor, made a T by VALUE. Where there are none, *p is left alone.
#define HARDWARE_RANDOM(T, VALUE) \
    uniform bool rdrand(uniform T * uniform p) { \
        uniform int64 bits; \
        uniform bool found = __random_bits(&bits); \
        if (found) \
            *p = VALUE(bits); \
        return found; \
    } \
    bool rdrand(varying T * uniform p) { \
        bool found = false; \
        foreach_active (lane) { \
            uniform T number; \
            uniform bool lucky = rdrand(&number); \
            found = lucky; \
            if (lucky) \
                *p = number; \
        } \
        return found; \
    } \
    bool rdrand(uniform T * varying p) { \
        bool found = false; \
        foreach_active (lane) { \
            uniform T number; \
            uniform bool lucky = rdrand(&number); \
            found = lucky; \
            if (lucky) \
                *p = number; \
        } \
        return found; \
    }
#define AS_INT16(bits) ((uniform int16)bits)
#define AS_INT32(bits) ((uniform int32)bits)
#define AS_INT64(bits) bits
#define AS_FLOAT(bits) ((uniform float)((uniform int32)bits & 0xFFFFFF) * 0x1p-24f)
HARDWARE_RANDOM(int16, AS_INT16)
HARDWARE_RANDOM(int32, AS_INT32)
HARDWARE_RANDOM(int64, AS_INT64)
HARDWARE_RANDOM(float, AS_FLOAT)
