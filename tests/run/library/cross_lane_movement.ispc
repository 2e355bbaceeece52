// claim: rotate, shift, shuffle, broadcast, insert and extract move values between lanes
// widths: 4 8 16 32 64
// expect: (L + 1) % W + 10, np.where(L < W - 1, L + 11, 0), W - 1 - L + 10, np.full(W, 12), np.where(L == 2, 99, L + 10), [13]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex + 10;
    uniform int p = programCount;
    out[programIndex] = rotate(v, 1);
    out[p + programIndex] = shift(v, 1);
    out[2 * p + programIndex] = shuffle(v, p - 1 - programIndex);
    out[3 * p + programIndex] = broadcast(v, 2);
    out[4 * p + programIndex] = insert(v, 2, 99);
    out[5 * p] = extract(v, 3);
}
