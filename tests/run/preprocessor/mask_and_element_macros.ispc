// claim: TARGET_ELEMENT_WIDTH and ISPC_MASK_BITS describe the gang, assert expands to nothing that fails
// expect: [4, 1, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = TARGET_ELEMENT_WIDTH;
    out[1] = ISPC_MASK_BITS == 1 || ISPC_MASK_BITS == 32 ? 1 : 0;
    assert(n == 64);
    assert(i[programIndex] < 1000);
#ifdef ISPC_FP64_SUPPORTED
    out[2] = 1;
#endif
}
