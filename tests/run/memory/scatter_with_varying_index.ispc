// claim: an assignment with a varying index writes one element for each lane
// where:
//   r = np.zeros(n)
//   for k in range(n): r[(k * 21) % 64] = f[k]
// expect: r
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[(k * 21) % 64] = f[k];
}
