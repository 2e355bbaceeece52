// claim: a uniform loop goes on, with its uniform counters, while some lane of it has not broken out
// widths: 4 8 16 32 64
// expect: L, [W - 1], np.minimum(L, 2), [10]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int lane = programIndex;
    int steps = 0;
    uniform int passes = 0;
    for (uniform int j = 0; j < 100; j++) {
        if (j == lane)
            break;
        steps++;
        passes++;
    }
    out[programIndex] = steps;
    out[programCount] = passes;
    int few = 0;
    uniform int all = 0;
    for (uniform int j = 0; j < 10; j++) {
        all++;
        if (j >= 2)
            continue;
        if (j == lane)
            break;
        few++;
    }
    out[programCount + 1 + programIndex] = few;
    out[2 * programCount + 1] = all;
}
