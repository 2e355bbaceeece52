// claim: saturating operations clamp to the range of their type
// expect: np.clip(i * 5 + 100, -128, 127), np.clip((i & 0xff) + 100, 0, 255), np.clip(np.minimum(i * 1000, 32767) - 20000, -32768, 32767)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int8 a = clamp(i[k] * 5, -128L, 127), b = 100;
        uint8 c = i[k], d = 100;
        int16 e = clamp(i[k] * 1000, -32768L, 32767), g = 20000;
        out[k] = saturating_add(a, b);
        out[64 + k] = saturating_add(c, d);
        out[128 + k] = saturating_sub(e, g);
    }
}
