// claim: a comma yields its right operand, an assignment its left side's value
// expect: i + 3, [(int(v) & 0xff) for v in i]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int a, b;
        a = b = (0, i[k] + 3);
        out[k] = (a++, b);
        uint8 small;
        int wide = small = i[k];
        out[64 + k] = wide;
    }
}
