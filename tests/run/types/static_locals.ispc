// claim: a static local keeps its value between calls, a varying one under the mask
// expect: [3, 6, 9], np.where(L < 2, 3, 1)
static noinline uniform int next() {
    static uniform int state = 0;
    state += 3;
    return state;
}
static noinline int touched() {
    static int count;
    count++;
    return count;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = next();
    out[1] = next();
    out[2] = next();
    touched();
    if (programIndex < 2) {
        touched();
        touched();
    }
    int v = touched() - 1;
    out[3 + programIndex] = v;
}
