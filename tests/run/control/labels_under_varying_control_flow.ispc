// claim: a label under varying control flow, where no goto leads, changes nothing
// expect: [{0: 11, 1: 0, 2: 100}[k % 3] for k in range(n)], 7
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        switch (k % 3) {
        before:
            r = -1;
        case 0:
            r += 1;
        inside:
            r += 10;
            break;
        case 2:
            if (k >= 0) {
            deeper:
                r += 100;
            }
        }
    loop_end:
        out[k] = r;
    }
    out[n] = 7;
}
