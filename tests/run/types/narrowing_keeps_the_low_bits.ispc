// claim: narrowing integer conversions keep the low bits, widening ones extend by the sign of the source
// where:
//   v = i.astype(np.int64) * 100003
// expect: v.astype(np.int8), v.astype(np.uint8), v.astype(np.int16), v.astype(np.uint16).astype(np.int64)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k] * 100003;
        int8 a = v;
        uint8 b = v;
        int16 c = v;
        uint16 d = v;
        out[k] = (int)a;
        out[64 + k] = (int)b;
        out[128 + k] = (int64)c;
        out[192 + k] = (int64)d;
    }
}
