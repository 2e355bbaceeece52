// claim: every lane shifts by its own count
// expect: i << (np.arange(n) % 16), i >> (np.arange(n) % 32), (i.astype(np.uint32) >> (np.arange(n, dtype=np.uint32) % np.uint32(32)))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = (int)((uint)i[k] << (k % 16));
        out[64 + k] = i[k] >> (k % 32);
        out[128 + k] = (uint)i[k] >> (k % 32);
    }
}
