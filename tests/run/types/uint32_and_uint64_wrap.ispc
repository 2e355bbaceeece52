// claim: unsigned arithmetic wraps modulo two to its width
// expect: (i.astype(np.uint32) * np.uint32(2654435761)), (i.astype(np.uint32) - np.uint32(5)), ((i.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(12)).astype(np.float64)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint32 a = i[k];
        uint64 b = (int64)i[k];
        out[k] = a * 2654435761;
        out[64 + k] = a - 5;
        out[128 + k] = (b * 0x9E3779B97F4A7C15) >> 12;
    }
}
