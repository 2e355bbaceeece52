// claim: structs with arrays are copied as a whole, also under masks and through pointers
// expect: [3 * j for j in range(12)], np.where(L & 1, 12, 1)
struct Big { int v[12]; };
static void copy(uniform Big * uniform to, const uniform Big &from) {
    *to = from;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Big a, b;
    for (uniform int j = 0; j < 12; j++)
        a.v[j] = 3 * j;
    copy(&b, a);
    for (uniform int j = 0; j < 12; j++)
        out[j] = b.v[j];
    Big x, y;
    for (uniform int j = 0; j < 12; j++) {
        x.v[j] = 1;
        y.v[j] = j + 1;
    }
    if (programIndex & 1)
        x = y;
    out[12 + programIndex] = x.v[11];
}
