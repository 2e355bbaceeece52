// claim: aligned objects lie at multiples of their alignment
// expect: [0, 0, 32]
struct Wide { float v; } __attribute__((aligned(32)));
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    __attribute__((aligned(64))) uniform int8 bytes[3];
    uniform Wide w[2];
    out[0] = (uniform int64)&bytes[0] % 64;
    out[1] = (uniform int64)&w[1] % 32;
    out[2] = (uniform int64)&w[1] - (uniform int64)&w[0];
}
