// claim: a tiled foreach with conditions at the edges reads nothing outside
// where:
//   g = f.reshape(8, 8)
//   r = g.astype(np.float64).copy()
//   r[:, 1:] += g[:, :-1]
//   r[1:, :] += g[:-1, :]
// expect: r
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach_tiled (y = 0 ... 8, x = 0 ... 8) {
        float s = f[y * 8 + x];
        if (x > 0)
            s += f[y * 8 + x - 1];
        if (y > 0)
            s += f[(y - 1) * 8 + x];
        out[y * 8 + x] = s;
    }
}
