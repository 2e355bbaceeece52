// claim: integer short vectors take every arithmetic, bit and shift operator
// expect: (i * 3) ^ 5, (i >> 2) & 7, -i
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int<4> v = i[k];
        int<4> a = (v * 3) ^ 5, b = (v >> 2) & 7;
        v = -v;
        out[k] = a.x;
        out[64 + k] = b.w;
        out[128 + k] = v.z;
    }
}
