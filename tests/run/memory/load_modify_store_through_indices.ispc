// claim: indices read from memory address loads and stores of one statement
// where:
//   r = [float(k) for k in range(64)]
//   for k in range(64): r[k ^ 5] += f[k]
// expect: r
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int index[64];
    foreach (k = 0 ... 64) {
        index[k] = k ^ 5;
        out[k] = k;
    }
    foreach (k = 0 ... 64)
        out[index[k]] += f[k];
}
