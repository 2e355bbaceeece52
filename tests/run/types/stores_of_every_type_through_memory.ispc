// claim: each scalar type is stored and loaded in its own size
// where:
//   v = i.astype(np.int64) * 1000003
// expect: v.astype(np.int8).astype(np.float64) + v.astype(np.uint8), v.astype(np.int16).astype(np.float64) + v.astype(np.uint16), v.astype(np.int32).astype(np.float64) + v.astype(np.uint32), v * 2 + f.astype(np.float16)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int8 a8[64];
    uniform uint8 b8[64];
    uniform int16 a16[64];
    uniform uint16 b16[64];
    uniform int32 a32[64];
    uniform uint32 b32[64];
    uniform int64 a64[64];
    uniform uint64 b64[64];
    uniform float16 h[64];
    foreach (k = 0 ... n) {
        int64 v = (int64)i[k] * 1000003;
        a8[k] = v;
        b8[k] = v;
        a16[k] = v;
        b16[k] = v;
        a32[k] = v;
        b32[k] = v;
        a64[k] = v;
        b64[k] = v;
        h[k] = f[k];
    }
    foreach (k = 0 ... n) {
        out[k] = (int)a8[k] + (int)b8[k];
        out[64 + k] = (int)a16[k] + (int)b16[k];
        out[128 + k] = (double)a32[k] + (double)b32[k];
        out[192 + k] = (double)(a64[k] + (int64)b64[k]) + (double)h[k];
    }
}
