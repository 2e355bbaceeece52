// claim: a loop with a constant true condition ends when all lanes have left it
// expect: np.arange(n) % 9 + 1, [17]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        for (;;) {
            r++;
            if (r > k % 9)
                break;
        }
        out[k] = r;
    }
    uniform int count = 0;
    while (true) {
        if (++count == 17)
            break;
    }
    out[64] = count;
}
