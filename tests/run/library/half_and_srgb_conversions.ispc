// claim: half_to_float and float_to_half are IEEE conversions, sRGB codes survive the way to linear light and back
// expect: f.astype(np.float16).view(np.int16), np.abs(i).astype(np.uint16).view(np.float16), np.arange(64) * 4, [0, 89, 124, 149, 170, 188, 203, 218, 231, 243, 255]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = float_to_half(f[k]);
        out[n + k] = half_to_float((uint16)abs(i[k]));
        out[2 * n + k] = float_to_srgb8(srgb8_to_float(4 * k));
    }
    for (uniform int k = 0; k <= 10; k++)
        out[3 * n + k] = float_to_srgb8(k * 0.1f);
}
