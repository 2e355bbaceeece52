// claim: the predefined macros describe the target
// expect: [1, 1, W, 8 * P, 1, 32, 10]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = ISPC;
    out[1] = VOLTA;
    out[2] = TARGET_WIDTH;
    out[3] = ISPC_POINTER_SIZE;
    out[4] = ISPC_MAJOR_VERSION;
    out[5] = ISPC_MINOR_VERSION;
    out[6] = __LINE__;
}
