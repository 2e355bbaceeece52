// claim: indices computed in variables, loops and conditions address what they say
// expect: [f[(k + 3 * (k % 2)) & 63] for k in range(n)], [sum(int(i[(k + j) & 63]) for j in range(4)) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int at = k;
        if (k % 2 == 1)
            at += 3;
        out[k] = f[at & 63];
        int s = 0;
        for (uniform int j = 0; j < 4; j++) {
            int place = (k + j) & 63;
            s += i[place];
        }
        out[64 + k] = s;
    }
}
