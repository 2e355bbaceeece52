// claim: foreach_tiled visits every tuple once in two and three dimensions
// expect: [3 * j + k + 1 for j in range(7) for k in range(9)], [a + 2 * b + 4 * c + 1 for a in range(3) for b in range(5) for c in range(7)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach_tiled (j = 0 ... 7, k = 0 ... 9)
        out[j * 9 + k] += 3 * j + k + 1;
    foreach_tiled (a = 0 ... 3, b = 0 ... 5, c = 0 ... 7)
        out[63 + (a * 5 + b) * 7 + c] += a + 2 * b + 4 * c + 1;
}
