// claim: a varying pointer reads an element of its own for each lane
// expect: [f[(k * 11) & 63] for k in range(n)], [f[((k * 11) & 31) + 3] for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uniform float * varying p = f + ((k * 11) & 63);
        out[k] = *p;
        p = &f[(k * 11) & 31];
        p += 3;
        out[64 + k] = p[0];
    }
}
