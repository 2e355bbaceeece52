// claim: where several active lanes store to one location the highest lane wins
// widths: 4 8 16 32 64
// expect: [W - 2, W - 1, W // 2 - 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int slot[2];
    slot[programIndex & 1] = programIndex;
    out[0] = slot[0];
    out[1] = slot[1];
    if (programIndex < programCount / 2)
        out[programIndex * 0 + 2] = programIndex;
}
