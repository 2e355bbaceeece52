// claim: varying floats convert to 8, 16, 32 and 64 bit unsigned and signed integers
// where:
//   a = np.abs(f)
// expect: np.trunc(a), np.trunc(f), np.trunc(a * 250000000), np.trunc(a.astype(np.float64) * 1e12)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float a = abs(f[k]);
        uint8 u8 = a;
        int16 s16 = f[k];
        uint32 u32 = a * 250000000;
        uint64 u64 = (double)a * 1d+12;
        out[k] = u8;
        out[64 + k] = s16;
        out[128 + k] = u32;
        out[192 + k] = u64;
    }
}
