// claim: a uniform pointer steps through an array by its element size
// expect: [float(np.sum(f[:10])), 10, 1, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform p = f;
    uniform float * uniform end = f + 10;
    uniform float s = 0;
    uniform int steps = 0;
    while (p != end) {
        s += *p++;
        steps++;
    }
    out[0] = s;
    out[1] = p - f;
    out[2] = p >= end ? 1 : 0;
    out[3] = f < p ? 1 : 0;
}
