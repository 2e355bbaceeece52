// claim: the right side of && and || runs only for the lanes that need it
// widths: 4 8 16 32 64
// expect: [W - 2, 2, 0, 0], np.where((L >= 2) & (L < 5), 1, 0)
static noinline bool seen(uniform double * uniform where, bool v) {
    *where += popcnt(programIndex >= 0);
    return v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    bool a = programIndex >= 2 && seen(&out[0], programIndex < 5);
    bool b = programIndex >= 2 || seen(&out[1], true);
    bool c = programIndex < 0 && seen(&out[2], true);
    bool d = programIndex >= 0 || seen(&out[3], true);
    out[4 + programIndex] = a ? 1 : 0;
}
