// claim: of uniform values returned under varying flow the last executed return wins
// widths: 4 8 16 32 64
// expect: [20, 10, 30]
static noinline uniform int pick(int v) {
    if (v < 1)
        return 10;
    if (v < 100)
        return 20;
    return 30;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = pick(programIndex);
    out[1] = pick(0);
    out[2] = pick(200 + programIndex);
}
