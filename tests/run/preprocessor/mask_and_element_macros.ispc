// claim: TARGET_ELEMENT_WIDTH and ISPC_MASK_BITS describe the gang, masks of one bit go with elements of four bytes; assert expands to nothing that fails
// expect: [1, 1, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = TARGET_ELEMENT_WIDTH == 1 || TARGET_ELEMENT_WIDTH == 2 || TARGET_ELEMENT_WIDTH == 4 || TARGET_ELEMENT_WIDTH == 8;
    out[1] = ISPC_MASK_BITS == (ISPC_MASK_BITS == 1 ? TARGET_ELEMENT_WIDTH / 4 : TARGET_ELEMENT_WIDTH * 8);
    assert(n == 64);
    assert(i[programIndex] < 1000);
#ifdef ISPC_FP64_SUPPORTED
    out[2] = 1;
#endif
}
