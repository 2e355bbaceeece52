// claim: a pointer into the middle of an array takes negative indices
// expect: f[20:44]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform middle = &f[32];
    foreach (k = -12 ... 12)
        out[k + 12] = middle[k];
}
