// claim: through a varying function pointer each distinct target is called once, for its lanes
// widths: 4 8 16 32 64
// expect: [2 * v if v > 0 else v // 2 if v % 2 == 0 else -(-v // 2) for v in i.tolist()], [2]
typedef int (*Function)(int);
static uniform int calls = 0;
static int twice(int v) {
    calls++;
    return 2 * v;
}
static int half(int v) {
    calls++;
    return v / 2;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Function p = i[k] > 0 ? twice : half;
        out[k] = p(i[k]);
    }
    calls = 0;
    Function p = (programIndex & 1) ? twice : half;
    int r = p(programIndex);
    out[64] = calls;
}
