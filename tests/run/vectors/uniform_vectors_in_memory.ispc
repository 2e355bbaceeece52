// claim: arrays of uniform short vectors have the padded size of their elements
// expect: [16, 32], [f[k] if c == 0 else -f[k] for k in range(8) for c in (0, 2)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float<3> a[8];
    out[0] = sizeof(a[0]);
    out[1] = sizeof(uniform double<3>);
    for (uniform int k = 0; k < 8; k++) {
        uniform float<3> v = { f[k], 0, -f[k] };
        a[k] = v;
    }
    foreach (k = 0 ... 8) {
        out[2 + 2 * k] = a[k].x;
        out[3 + 2 * k] = a[k].z;
    }
}
