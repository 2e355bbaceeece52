// claim: a two-dimensional foreach reads neighbours in both dimensions
// where:
//   g = f.reshape(8, 8)
//   r = np.zeros((8, 8))
//   r[1:-1, 1:-1] = g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] - 4 * g[1:-1, 1:-1]
// expect: r
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (y = 1 ... 7, x = 1 ... 7) {
        int at = y * 8 + x;
        out[at] = f[at - 8] + f[at + 8] + f[at - 1] + f[at + 1] - 4 * f[at];
    }
}
