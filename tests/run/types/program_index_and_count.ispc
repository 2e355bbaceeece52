// claim: programIndex numbers the lanes, programCount is the gang size
// expect: L, [W, W - 1]
static const uniform int last = programCount - 1;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[programIndex] = programIndex;
    out[programCount] = programCount;
    out[programCount + 1] = last;
}
