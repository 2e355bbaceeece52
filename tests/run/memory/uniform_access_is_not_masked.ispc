// claim: a uniform address is read and written once, whatever the mask
// widths: 4 8 16 32 64
// expect: [W, 7]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int cell = 3;
    uniform int * uniform p = &cell;
    if (programIndex == 1)
        *p = 7;
    out[1] = cell;
    uniform int total = 0;
    foreach_active (lane)
        total++;
    out[0] = total;
}
