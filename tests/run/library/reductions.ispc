// claim: reduce_add, reduce_min and reduce_max fold the active lanes
// widths: 4 8 16 32 64
// expect: [W * (W + 1) // 2, 1, W, sum(range(2, W + 1, 2)), 2, W, W * 0.5]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex + 1;
    out[0] = reduce_add(v);
    out[1] = reduce_min(v);
    out[2] = reduce_max(v);
    if (programIndex & 1) {
        out[3] = reduce_add(v);
        out[4] = reduce_min(v);
        out[5] = reduce_max(v);
    }
    float half = 0.5;
    out[6] = reduce_add(half);
}
