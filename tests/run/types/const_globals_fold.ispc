// claim: const globals are constants: in other globals and array sizes
// expect: [12, 144, 7, 5]
const uniform int SIDE = 12;
static const uniform int AREA = SIDE * SIDE;
enum { STEP = 5 };
static uniform float table[SIDE - STEP];
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = SIDE;
    out[1] = AREA;
    out[2] = sizeof(table) / sizeof(uniform float);
    switch (n - 52) {
    case STEP + 7: out[3] = STEP; break;
    default: out[3] = 0;
    }
}
