// claim: foreach_active in a varying loop serves the lanes that are still in the loop
// expect: [sum(range(1, l + 1)) for l in range(W)], [sum(range(W))]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int visits = 0;
    int s = 0;
    for (int j = 1; j <= programIndex; j++) {
        foreach_active (l) {
            s += j;
            visits++;
        }
    }
    out[programIndex] = s;
    out[programCount] = visits;
}
