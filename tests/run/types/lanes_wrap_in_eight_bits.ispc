// claim: varying int8 and uint8 sums, differences and products keep the low eight bits
// expect: (i.astype(np.int8) * np.int8(7)), (i.astype(np.uint8) - np.uint8(9)), (i.astype(np.uint8) * np.uint8(37))
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint8 a = i[k];
        uint8 b = a - (uint8)9, c = a * (uint8)37;
        uint8 d = a * (uint8)7;
        out[k] = (int8)d;
        out[64 + k] = b;
        out[128 + k] = c;
    }
}
