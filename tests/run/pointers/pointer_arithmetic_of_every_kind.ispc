// claim: p + i, i + p, p - i, ++, --, += and -= step by elements, uniform and varying
// expect: [f[5], f[5], f[3], f[4], f[3], f[7], f[2]], [f[(k & 31) + 2] for k in range(n)], [f[63 - k] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform p = f + 5;
    out[0] = *p;
    out[1] = *(2 + f + 3);
    out[2] = *(p - 2);
    p--;
    out[3] = *p;
    out[4] = *--p;
    p += 4;
    out[5] = *p;
    p -= 5;
    out[6] = *p;
    foreach (k = 0 ... n) {
        uniform float * varying q = f + (k & 31);
        q++;
        ++q;
        out[7 + k] = *q;
        q = f + 63;
        q -= k;
        out[71 + k] = *q;
    }
}
