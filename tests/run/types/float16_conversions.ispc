// claim: float16 conversions round to nearest even, overflow to infinity, and int32 with float16 is float16
// where:
//   with np.errstate(over="ignore"):
//       scaled = (f * np.float32(5000)).astype(np.float16)
// expect: scaled, (i.astype(np.float16) * np.float16(0.3)), [65504, 2048]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float16 h = f[k] * 5000;
        out[k] = h;
        out[64 + k] = i[k] * 0.3f16;
    }
    uniform float16 top = 65504.0f16;
    out[128] = top;
    uniform float16 rounded = (uniform float)(2049 + n - 64);
    out[129] = rounded;
}
