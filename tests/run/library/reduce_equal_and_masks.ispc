// claim: reduce_equal compares active lanes; lanemask and packmask show them
// widths: 4 8 16 32 64
// expect: [0, 1, 7, 2.0 ** W - 1, sum(2 ** l for l in range(1, W, 2)), sum(2 ** l for l in range(W) if l > 2)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = (programIndex & 1) ? 7 : programIndex;
    uniform int common = 0;
    out[0] = reduce_equal(v);
    if (programIndex & 1) {
        out[1] = reduce_equal(v, &common);
        out[4] = lanemask();
    }
    out[2] = common;
    out[3] = lanemask();
    out[5] = packmask(programIndex > 2);
}
