// claim: a uniform goto jumps forward and backward
// expect: [55, 0, 7]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int k = 1, s = 0;
again:
    s += k;
    k++;
    if (k <= 10)
        goto again;
    out[0] = s;
    goto skip;
    out[1] = 1;
skip:
    out[2] = 7;
}
