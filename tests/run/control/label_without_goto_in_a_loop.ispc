// claim: a label in a uniform loop, where no goto leads, changes nothing
// expect: [(k if k < 5 else 5) * 11 + (0 if k < 5 else 100) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int first = 0; first < n; first += programCount) {
        int k = first + programIndex, r = 0;
        for (uniform int j = 0; j < 5; j++) {
            if (k == j) break;
            r += 1;
        unused:
            r += 10;
            if (j == 4) r += 100;
        }
        if (k < n) out[k] = r;
    }
}
