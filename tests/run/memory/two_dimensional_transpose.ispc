// claim: a transposition of a matrix in two loops of foreach
// expect: f[:60].reshape(6, 10).T.ravel()
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (row = 0 ... 6, column = 0 ... 10)
        out[column * 6 + row] = f[row * 10 + column];
}
