// claim: labels belong to the innermost switch
// expect: [10 * (k % 3) + (k % 4 == 2) if k % 3 != 2 else 99 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = -1;
        switch (k % 3) {
        case 0:
        case 1: {
            switch (k % 4) {
            case 2:
                r = 10 * (k % 3) + 1;
                break;
            default:
                r = 10 * (k % 3);
            }
            break;
        }
        default:
            r = 99;
        }
        out[k] = r;
    }
}
