// claim: enumerators count up from the last given value and convert to numbers
// expect: [0, 7, 8, 107, 1, 8], np.where(i > 0, 7, 8)
enum Mode { A, B = 7, C };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = A;
    out[1] = B;
    out[2] = C;
    uniform Mode m = B;
    out[3] = m + 100;
    out[4] = m == B ? 1 : 0;
    m++;
    out[5] = m;
    foreach (k = 0 ... n) {
        Mode v = i[k] > 0 ? B : C;
        out[6 + k] = v;
    }
}
