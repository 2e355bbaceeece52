// claim: a uniform switch jumps to its label and falls through until a break
// expect: [1100, 11, 10, 100, 1000, 100]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int k = 0; k < 6; k++) {
        uniform int r = 0;
        switch (k) {
        case 1:
            r += 1;
        case 2:
            r += 10;
            break;
        default:
        case 3:
            r += 100;
            if (k != 0)
                break;
        case 4:
            r += 1000;
        }
        out[k] = r;
    }
}
