// claim: soa data is initialised block by block, each scalar with a value for each slot, local and global
// widths: 4 8 16 32 64
// where:
//   x = np.array([1, 2, 3, 4, 9, 10, 11, 12])
// expect: 101 * x, 101 * (x + 4) - [0, 0, 0, 0, 0, 0, 0, 16 - f[0]], [1, 5, 1, 21, 7, 1.5, 1, f[1]], [2, 6, 0, 22, 8, 2.5, 2, f[2]], [11, 4, 1, 15, 3, 14, 21, 22, 4], [22, 21, 5, 1, 23, 22], [4 * 7, 5, 7, 9, 7], 2 + 30 + 0 * L
struct Point { float x, y; };
struct Inner { int8 a; int16 b[3]; };
enum Number { ZERO, ONE, TWO };
struct Mixed { float<3> v; bool flag; Inner parts[2]; double d; Number e; uniform float * p; };
struct Chain { float v; soa<2> Point * next; int8 k; };
static soa<4> Point g[2] = { { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, { { 9, 10, 11, 12 }, { 13, 14, 15, 16 } } };
static soa<4> Point * uniform sixth = &g[6];
static soa<4> Point * uniform third = g + 3;
static soa<4> Point * uniform nothing = NULL;
static soa<4> Point * fifth = &g[5];
static soa<2> Point h[1] = { { { 20, 21 }, { 22, 23 } } };
static soa<2> Chain links[1] = { { { 1, 2 }, { &h[1], h }, { 3, 4 } } };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<4> Point p[2] = { { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }, { { 9, 10, 11, 12 }, { 13, 14, 15, f[0] } } };
    for (uniform int k = 0; k < 8; ++k) { out[k] = p[k].x + g[k].x * 100; out[8 + k] = p[k].y + g[k].y * 100; }
    soa<2> Mixed m[1] = { { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { true, false },
        { { { 7, 8 }, { { 9, 10 }, { 11, 12 }, { 13, 14 } } }, { { 15, 16 }, { { 17, 18 }, { 19, 20 }, { 21, 22 } } } },
        { 1.5d, 2.5d }, { ONE, TWO }, { &f[1], &f[2] } } };
    for (uniform int k = 0; k < 2; ++k) {
        uniform int at = 16 + 8 * k;
        out[at] = m[k].v.x; out[at + 1] = m[k].v.z; out[at + 2] = m[k].flag; out[at + 3] = m[k].parts[1].b[2];
        out[at + 4] = m[k].parts[0].a; out[at + 5] = m[k].d; out[at + 6] = m[k].e; out[at + 7] = *m[k].p;
    }
    out[32] = sixth->x; out[33] = third->x; out[34] = nothing == NULL; out[35] = sixth->y;
    out[36] = sixth - third; out[37] = extract(fifth->y, 1);
    out[38] = links[0].next->x; out[39] = links[1].next->y; out[40] = links[1].k;
    soa<2> Chain l[2] = { { { 1, 2 }, { h, &h[1] }, { 3, 4 } }, { { 1, 2 }, { h + 1, NULL }, { 5, 6 } } };
    l[0].next = h;
    l[1].next = h + 1;
    out[41] = l[0].next->y; out[42] = l[1].next->x; out[43] = l[2].k; out[44] = l[3].next == NULL;
    Chain link = l[programIndex & 1];
    out[45] = extract(link.next->y, 1);
    if ((programIndex & 1) == 1) l[programIndex & 1].next = h;
    out[46] = l[1].next->y;
    soa<4> Point * uniform q = uniform new soa<4> Point({ 1, 2, 3, 4 }, { 5, 6, 7, 8 });
    out[47] = q[3].x * q[2].y;
    delete q;
    static soa<2> Point s[1] = { { { 1, 2 }, { 3, 4 } } };
    s[1].y += 1;
    out[48] = s[1].y;
    soa<2> Point u[] = { { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 7 } } };
    out[49] = u[3].y;
    soa<2> Point two[2][1] = { { { { 1, 2 }, { 3, 4 } } }, { { { 1, 2 }, { 3, 9 } } } };
    out[50] = two[1][1].y;
    soa<4> Point single = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
    out[51] = (&single)[2].y;
    soa<2> Point * varying own = new soa<2> Point({ 1, 2 }, { 3, 4 });
    out[52 + programIndex] = own[1].x + own[0].y * 10;
    delete own;
}
