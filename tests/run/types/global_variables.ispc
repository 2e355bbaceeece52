// claim: globals are zero without initializer, keep values between functions, varying stores are masked
// expect: [0, 3, 8], np.where(L & 1, 5, 2), [10, 20, 30, 0]
static uniform int empty;
static uniform int counter = 3;
static int lanes = 2;
static uniform int values[4] = { 10, 20, 30 };
static void bump() {
    counter += 5;
    if (programIndex & 1)
        lanes = 5;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    counter = 3;
    lanes = 2;
    out[0] = empty;
    out[1] = counter;
    bump();
    out[2] = counter;
    out[3 + programIndex] = lanes;
    foreach (k = 0 ... 4)
        out[3 + programCount + k] = values[k];
}
