// claim: bools combine with & | ^ ! and compare like numbers
// where:
//   a, b = i > 0, f > 0
// expect: (a & b) * 1 + (a | b) * 10 + (a ^ b) * 100, (a == b) * 1 + (a != b) * 10 + (a < b) * 100 + (~a) * 1000
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        bool a = i[k] > 0, b = f[k] > 0;
        bool both = a & b, either = a | b, one = a ^ b;
        out[k] = (int)both + (int)either * 10 + (int)one * 100;
        int r = a == b ? 1 : 0;
        if (a != b)
            r += 10;
        if (a < b)
            r += 100;
        if (!a)
            r += 1000;
        out[64 + k] = r;
    }
}
