// claim: integers convert to float rounded to nearest even
// where:
//   v = (i.astype(np.int64) * 123456789 + np.arange(n)).astype(np.int64)
// expect: v.astype(np.int32).astype(np.float32), v.astype(np.float32), (v & 0xffffffff).astype(np.float32), np.array([int(x) & 0xffffffffffffffff for x in v], dtype=np.uint64).astype(np.float64)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int64 v = (int64)i[k] * 123456789 + k;
        out[k] = (float)(int)v;
        out[64 + k] = (float)v;
        out[128 + k] = (float)(uint)v;
        out[192 + k] = (double)(uint64)v;
    }
}
