// claim: comparisons of mixed types are made in the promoted type
// expect: (i.astype(np.uint32) < 5) * 1, (i.astype(np.float32) < f) * 1, [int(np.uint8(v & 0xff) == v) for v in i.tolist()]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint five = 5;
        uint8 small = i[k];
        out[k] = i[k] < five ? 1 : 0;
        out[64 + k] = i[k] < f[k] ? 1 : 0;
        out[128 + k] = small == i[k] ? 1 : 0;
    }
}
