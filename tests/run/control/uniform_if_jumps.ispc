// claim: a uniform condition takes one branch for the whole gang
// expect: [5, 40]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int r = 1;
    if (n > 60)
        r = 5;
    else
        r = 6;
    out[0] = r;
    if (n < 60) {
        r = 30;
    } else {
        r = 40;
    }
    out[1] = r;
}
