// claim: goto leaves nested uniform loops
// expect: [37, 3, 7]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a = 0, b = 0;
    for (a = 0; a < 10; a++) {
        for (b = 0; b < 10; b++) {
            if (a * 10 + b == 37)
                goto found;
        }
    }
found:
    out[0] = a * 10 + b;
    out[1] = a;
    out[2] = b;
}
