// claim: const variables, pointees and parameters are read like others
// expect: [float(np.sum(f[:8])), 8]
static uniform float sum(const uniform float * uniform p, const uniform int count) {
    uniform float s = 0;
    for (uniform int k = 0; k < count; k++)
        s += p[k];
    return s;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    const uniform int count = 8;
    out[0] = sum(f, count);
    out[1] = count;
}
