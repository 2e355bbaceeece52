// claim: suffixes choose the type of integer literals, kinds of floating literals are exact
// expect: [8, 4, 8, 4, 8, 2, 0.5, 0.25, 1.75, 4096, 1024.0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sizeof(5ll);
    out[1] = sizeof(5u);
    out[2] = sizeof(5ull);
    out[3] = sizeof(5l);
    out[4] = sizeof(1.5d);
    out[5] = sizeof(1.5f16);
    out[6] = .5;
    out[7] = 25e-2;
    out[8] = 0x1.cp0;
    out[9] = 4kull;
    out[10] = 1.024d+3;
}
