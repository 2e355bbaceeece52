// claim: strides of two and three are written without touching what lies between
// expect: [k // 2 + 1 if k % 2 == 0 else -7 for k in range(64)], [k // 3 + 0.5 if k % 3 == 1 else 0 for k in range(64)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 64)
        out[k] = -7;
    foreach (k = 0 ... 32)
        out[2 * k] = k + 1;
    foreach (k = 0 ... 21)
        out[64 + 3 * k + 1] = k + 0.5;
}
