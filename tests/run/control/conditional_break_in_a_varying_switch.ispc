// claim: a break under an if inside a varying switch removes only the lanes of that if
// expect: [(5 if k % 2 else 5 + 7) if k % 3 == 1 else 7 if k % 3 == 2 else 0 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        switch (k % 3) {
        case 1:
            r += 5;
            if (k % 2 == 1)
                break;
        case 2:
            r += 7;
        }
        out[k] = r;
    }
}
