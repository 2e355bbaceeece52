// claim: a varying static local counts the calls of each lane
// expect: [l + 1 for l in range(W)]
static noinline int tick() {
    static int count = 0;
    count++;
    return count;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (int j = 0; j < programIndex; j++)
        tick();
    out[programIndex] = tick();
}
