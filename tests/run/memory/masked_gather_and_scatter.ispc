// claim: inactive lanes neither read nor write, even where their address is wild
// where:
//   r = np.zeros(n)
//   for k in range(n):
//       if i[k] >= 0: r[i[k]] = f[63 - i[k]]
// expect: r
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int j = i[k];
        int wild = j < 0 ? j * 20000000 : j;
        if (j >= 0)
            out[wild] = f[63 - wild];
    }
}
