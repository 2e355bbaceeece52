// claim: a switch runs with the lanes that reach it and restores the mask
// expect: [(k % 4) * 10 + 1 if k % 5 else 0 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        if (k % 5 != 0) {
            switch (k % 4) {
            case 0: break;
            case 1: r = 10; break;
            case 2: r = 20; break;
            case 3: r = 30;
            }
            r += 1;
        }
        out[k] = r;
    }
}
