// claim: memcpy, memmove and memset work on blocks of bytes, once for the gang or once for each active lane
// expect: np.concatenate([i[:3], i[:61]]), i[2:], [0, 0], np.where(np.arange(64) % W % 2 == 1, i, -1), np.full(64, 0x0101 * 0x0101)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int32 up[64], down[64], lanes[64], filled[64];
    for (uniform int k = 0; k < 64; k++) {
        up[k] = i[k];
        down[k] = i[k];
        lanes[k] = -1;
    }
    memmove(&up[3], &up[0], 61 * 4L);
    memmove64(&down[0], &down[2], 62 * 4L);
    memset(&down[62], 0, 8);
    for (uniform int k = 0; k < 64; k += programCount)
        if (programIndex & 1)
            memcpy(&lanes[k + programIndex], &i[k + programIndex], 4 + programIndex * 0);
    memset64(filled, 1, 256);
    for (uniform int k = 0; k < 64; k++) {
        out[k] = up[k];
        out[64 + k] = down[k];
        out[128 + k] = lanes[k];
        out[192 + k] = filled[k] == 0x01010101 ? 0x0101L * 0x0101 : 0;
    }
}
