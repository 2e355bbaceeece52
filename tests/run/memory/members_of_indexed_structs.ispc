// claim: members of structs chosen by an index are read in rows, all lanes on, under masks, and at the end of the array
// where:
//   from numpy import abs
//   def at(j): return f[4 * j] + 2 * f[4 * j + 1] + 3 * f[4 * j + 2] + 4 * f[4 * j + 3]
//   def three(j): return f[3 * j] - f[3 * j + 2] * f[3 * j + 1]
//   four_index = [(k * k) & 15 for k in range(n)]
//   r = [at(j) for j in four_index] + [three((k * 7) % 21) for k in range(n)]
//   r += [at(j) if j % 3 else -1 for j in four_index[:33]] + [f[(k * 5) & 31] - f[((k * 5) & 31) + 1] for k in range(33)]
// expect: r
// tolerance: 1e-5
struct Four { float a, b, c, d; };
struct Three { float a, b, c; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Four * uniform four = (uniform Four * uniform)f;
    uniform Three * uniform three = (uniform Three * uniform)f;
    uniform int squares[64], sevens[64];
    foreach (k = 0 ... n) {
        squares[k] = (k * k) & 15;
        sevens[k] = (k * 7) % 21;
    }
    foreach (k = 0 ... n) {
        int j = squares[k];
        out[k] = four[j].a + 2 * four[j].b + 3 * four[j].c + 4 * four[j].d;
    }
    foreach (k = 0 ... n)
        out[64 + k] = three[sevens[k]].a - three[sevens[k]].c * three[sevens[k]].b;
    foreach (k = 0 ... 33) {
        int j = squares[k];
        float sum = -1;
        if (j % 3 != 0)
            sum = four[j].a + 2 * four[j].b + 3 * four[j].c + 4 * four[j].d;
        out[128 + k] = sum;
    }
    foreach (k = 0 ... 33) {
        int j = (k * 5) & 31;
        int k2 = j * (k > 100 ? 2 : 1);
        out[161 + k] = f[k2] - f[k2 + 1];
    }
}
