// Half precision numbers as bit patterns, and the sRGB curve.

#define HALF(RATE, SUFFIX) \
    RATE float half_to_float##SUFFIX(RATE uint16 h) { return (RATE float)__float_of_bits(h); } \
    RATE int16 float_to_half##SUFFIX(RATE float f) { return (RATE int16)__bits((RATE float16)f); }
HALF(varying,)
HALF(uniform,)
HALF(varying, _fast)
HALF(uniform, _fast)

// IEC 61966-2-1: linear near zero, a power of 2.4 above. The way back is the polynomial of fifth degree that is best in
// relative error and exact at both ends.
#define SRGB(RATE) \
    RATE int float_to_srgb8(RATE float v) { \
        RATE float linear = __min((RATE float)1.0f, __max((RATE float)0.0f, v)); \
        RATE float curve = linear <= 0.0031308f ? 12.92f * linear : 1.055f * pow(linear, (RATE float)0.416666667f) - 0.055f; \
        return (RATE int)(curve * 255.0f + 0.5f); \
    } \
    RATE float srgb8_to_float(RATE int v) { \
        RATE float curve = (RATE float)__min((RATE int)255, __max((RATE int)0, v)) * 0.00392156863f; \
        RATE float power = 0.0008785f + curve * (0.03403642f + curve * (0.50695625f + curve * (0.71039528f + \
            curve * (-0.36571205f + curve * 0.1134456f)))); \
        return curve <= 0.04045f ? curve * 0.0773993808f : power; \
    }
SRGB(varying)
SRGB(uniform)
