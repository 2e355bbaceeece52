// claim: and, or, xor and complement work on the bits of every integer type
// expect: (i & 0x2c) | (i ^ 21), ~i, [(~int(v)) & 0xff for v in i], [(int(v) ^ 0x0f0f) & 0xffff for v in i]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k];
        uint8 a = v;
        uint16 b = v;
        out[k] = (v & 0x2c) | (v ^ 21);
        out[64 + k] = ~v;
        out[128 + k] = ~a;
        out[192 + k] = b ^ 0x0f0f;
    }
}
