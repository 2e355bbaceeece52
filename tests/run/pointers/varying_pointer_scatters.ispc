// claim: a store through a varying pointer writes for each active lane
// expect: [2 * k if k % 3 else 0 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uniform double * varying p = &out[k];
        if (k % 3 != 0)
            *p = 2 * k;
    }
}
