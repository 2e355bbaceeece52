// claim: the result of a call under a mask is merged into its variable for active lanes only
// expect: [fact * 2 if k % 2 else -1 for k in range(n) for fact in [math.factorial(k % 7)]]
static int factorial(int v) {
    return v < 2 ? 1 : v * factorial(v - 1);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = -1;
        if (k % 2 == 1)
            r = factorial(k % 7) * 2;
        out[k] = r;
    }
}
