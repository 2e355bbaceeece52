// claim: foreach_unique considers only active lanes
// expect: [sum(1 for v in {l // 2 for l in range(W) if l > 1})], np.where(L > 1, L // 2, 0)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int count = 0;
    if (programIndex > 1) {
        foreach_unique (v in programIndex / 2) {
            count++;
            out[1 + programIndex] = v;
        }
    }
    out[0] = count;
}
