// claim: varying uint16 arithmetic keeps the low sixteen bits
// expect: (i.astype(np.uint16) * np.uint16(12345)), (i.astype(np.uint16) - np.uint16(100)), (i.astype(np.uint16) << np.uint16(9))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint16 a = i[k];
        out[k] = (uint16)(a * (uint16)12345);
        out[64 + k] = a - (uint16)100;
        out[128 + k] = a << 9;
    }
}
