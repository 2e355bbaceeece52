// claim: clock does not go back
// expect: [1, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int64 before = clock();
    float sum = 0;
    foreach (k = 0 ... n)
        sum += f[k] * i[k];
    uniform int64 after = clock();
    out[0] = after >= before ? 1 : 0;
    out[1] = reduce_add(sum) != 0.123f ? 1 : 0;
}
