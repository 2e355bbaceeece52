// claim: a matrix product with uniform, unit-stride and strided accesses
// expect: (i[:48].reshape(6, 8).astype(np.int64) @ i[16:64].reshape(8, 6)).ravel()
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (row = 0 ... 6, column = 0 ... 6) {
        int sum = 0;
        for (uniform int j = 0; j < 8; j++)
            sum += i[row * 8 + j] * i[16 + j * 6 + column];
        out[row * 6 + column] = sum;
    }
}
