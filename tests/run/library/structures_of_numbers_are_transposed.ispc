// claim: aos_to_soa and soa_to_aos bring k numbers of W structures to k varying ones and back, whatever the mask
// expect: f[0:3 * W:3][:W] - f[1:3 * W:3][:W] * f[2:3 * W:3][:W], np.repeat(L, 4) * 10 + np.tile([0, 1, 2, 3], W)
// widths: 4 8 16
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    float x, y, z;
    uniform int32 back[64];
    if (programIndex == 1) {
        aos_to_soa3(f, &x, &y, &z);
        soa_to_aos4(programIndex * 10, programIndex * 10 + 1, programIndex * 10 + 2, programIndex * 10 + 3, back);
    }
    out[programIndex] = x - y * z;
    for (uniform int k = 0; k < 4 * programCount; k++)
        out[programCount + k] = back[k];
}
