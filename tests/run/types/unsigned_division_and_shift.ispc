// claim: unsigned types divide, compare and shift without sign
// where:
//   u = i.astype(np.uint32)
// expect: u // np.uint32(3), u >> np.uint32(4), (u > 100) * 1, i >> 4
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint u = i[k];
        out[k] = u / 3;
        out[64 + k] = u >> 4;
        out[128 + k] = u > 100 ? 1 : 0;
        out[192 + k] = i[k] >> 4;
    }
}
