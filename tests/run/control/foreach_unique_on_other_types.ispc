// claim: foreach_unique takes floats, bools, enums, 64-bit integers and pointers
// widths: 4 8 16 32 64
// expect: np.where(L % 2 == 0, 0.5, 1.5), [2], np.where(L < 3, 1, 0), np.where(L & 1, 7, 3), L % 2 + 2.0**40, [2]
enum Kind { LOW = 3, HIGH = 7 };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int p = programCount, count = 0;
    float v = programIndex % 2 + 0.5;
    foreach_unique (x in v) {
        out[programIndex] = x;
        count++;
    }
    out[p] = count;
    bool b = programIndex < 3;
    foreach_unique (x in b)
        out[p + 1 + programIndex] = x ? 1 : 0;
    Kind kind = (programIndex & 1) ? HIGH : LOW;
    foreach_unique (x in kind)
        out[2 * p + 1 + programIndex] = x;
    int64 wide = (programIndex & 1) + ((int64)1 << 40);
    foreach_unique (x in wide)
        out[3 * p + 1 + programIndex] = x;
    uniform float * varying q = &f[programIndex & 1];
    uniform int targets = 0;
    foreach_unique (x in q) {
        if (x == &f[0])
            targets++;
        if (x == &f[1])
            targets++;
    }
    out[4 * p + 1] = targets;
}
