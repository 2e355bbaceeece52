// claim: an soa array, also one within an array, is passed to a function as a slice pointer to its first element
// expect: [10 + i + (100 if i == 5 else 0) for i in range(8)], [i + (100 if i == 3 else 0) for i in range(16)], [25, 13]
struct Point {
    float x;
    int id;
};
static soa<8> Point rows[3][8];
static void mark(soa<8> Point * uniform p, uniform int at) {
    p[at].x += 100;
    (p + at)->id = 25;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<8> Point line[16];
    foreach (k = 0 ... 16)
        line[k].x = k;
    for (uniform int r = 0; r < 3; r++) {
        foreach (k = 0 ... 8) {
            rows[r][k].x = 10 * r + k;
            rows[r][k].id = 10 * r + k;
        }
    }
    mark(rows[1], 5);
    mark(line, 3);
    foreach (k = 0 ... 8)
        out[k] = rows[1][k].x;
    foreach (k = 0 ... 16)
        out[8 + k] = line[k].x;
    out[24] = rows[1][5].id;
    out[25] = rows[1][3].id;
}
