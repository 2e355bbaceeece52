// claim: without a matching label and a default nothing executes
// expect: np.where(np.isin(np.arange(n) % 5, (1, 4)), 50, 0), [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        switch (k % 5) {
        case 1:
        case 4:
            r = 50;
        }
        out[k] = r;
    }
    uniform int u = 0;
    switch (n) {
    case 63:
        u = 1;
        break;
    case -64:
        u = 2;
    }
    out[64] = u;
}
