// claim: continue in a foreach ends the iteration for its lanes
// expect: [0 if k % 4 == 1 else k + 0.5 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        if (k % 4 == 1)
            continue;
        out[k] = k + 0.5;
    }
}
