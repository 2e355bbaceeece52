// claim: cbreak, ccontinue and creturn mean break, continue and return
// expect: [sum(j for j in range(6) if j != 2) if k % 2 else -1 for k in range(n)]
static int old(int k) {
    if (k % 2 == 0)
        creturn -1;
    int r = 0;
    for (int j = 0; j < 100; j++) {
        if (j == 2)
            ccontinue;
        if (j == 6)
            cbreak;
        r += j;
    }
    return r;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = old(k);
}
