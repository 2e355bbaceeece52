// claim: any, all and none ask the active lanes only
// widths: 4 8 16 32 64
// expect: [1, 0, 0, 1, 1, 0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    bool odd = programIndex & 1;
    out[0] = any(odd);
    out[1] = all(odd);
    out[2] = none(odd);
    uniform double a = 0, b = 0, c = 0;
    if (odd) {
        a = all(odd);
        b = none(!odd);
        c = any(!odd);
    }
    out[3] = a;
    out[4] = b;
    out[5] = c;
}
