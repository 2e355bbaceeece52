// claim: reductions are made in the type of their argument
// expect: [(100 * W + 128) % 256 - 128, (200 * W) % 256, W * 2.0 ** 40, W * 0.25, -W]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int8 a = 100;
    uint8 b = 200;
    int64 c = (int64)1 << 40;
    double d = 0.25;
    int16 e = -1;
    out[0] = reduce_add(a);
    out[1] = reduce_add(b);
    out[2] = reduce_add(c);
    out[3] = reduce_add(d);
    out[4] = reduce_add(e);
}
