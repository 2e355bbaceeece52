// claim: unary minus of zero is negative zero, and a sum with it keeps signs as IEEE says
// expect: [2.0 ** 31, 0, 2.0 ** 31, -np.inf]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float zero = f[0] - f[0];
    out[0] = intbits(-zero);
    out[1] = intbits(zero - zero);
    out[2] = intbits(-zero - zero);
    out[3] = 1 / -zero;
}
