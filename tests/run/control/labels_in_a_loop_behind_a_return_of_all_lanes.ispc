// claim: labels in the loop of a uniform switch have the mask of all who come, behind a return that takes all lanes of a branch too
// expect: [{1: 7, 6: k + 3, 2: k + 6}.get(way := [6, 2, 1, 2][k // 16 % 4], k) if k % 3 == 1 else k for k in range(n)]
static int found(int x, uniform int way, uniform int begin) {
    uniform int j = begin;
    if (x % 3 == 1) {
        switch (way) {
        case 1:
            if (way > 0) {
                if (way < 2)
                    return 7;
        case 6:
                x += 3;
            }
            break;
            for (; j < 3; j++) {
                x += 2;
        case 2:
                x += 1;
            }
            x += 2;
        }
    }
    return x;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int first = 0; first < n; first += 16) {
        uniform int which = first / 16 % 4;
        uniform int way = which == 0 ? 6 : which == 2 ? 1 : 2;
        foreach (k = first ... min(first + 16, n))
            out[k] = found(k, way, 1);
    }
}
