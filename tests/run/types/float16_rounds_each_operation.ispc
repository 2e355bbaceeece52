// claim: float16 arithmetic is rounded to half precision after each operation
// where:
//   h = f.astype(np.float16)
//   g = (i.astype(np.float16) / np.float16(7)).astype(np.float16)
// expect: (h * g), (h + g), (h - np.float16(0.1)), (g / np.float16(3))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float16 h = f[k];
        float16 g = (float16)i[k] / 7.0f16;
        out[k] = h * g;
        out[64 + k] = h + g;
        out[128 + k] = h - 0.1f16;
        out[192 + k] = g / 3.0f16;
    }
}
