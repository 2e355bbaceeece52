// claim: element i of what uniform new gives for soa data is slot i % N of block i / N, for members of all kinds
// where:
//   k = np.arange(48)
//   third, fifth = k % 3 == 0, (47 - k) % 5 == 0
//   mine = L.astype(float)
// expect: k - k + 2 * k + 0.5 * k + (k + 1) + (200 + k) - k + (k & 1) + f[:48], 100 * (k % 3) + k, np.where(third, 7, 100 * (k % 3) + k), np.where(third, 4 * k, 2 * k) + 0.5 * k + fifth, [16 * 16, 36, 9, 16], [3 * k for k in range(16)], [7, 9, 1, 12, 3, 1], 11 * mine + 5, 8 * mine, (3 + (L & 1)) * mine
struct Point { float x; int y; };
struct Inner { int8 a; int16 b[3]; };
struct Mixed { float<3> v; bool flag; Inner parts[2]; double d; float * p; uint64 w; };
static soa<16> Mixed * uniform made(uniform int blocks) { return uniform new soa<16> Mixed[blocks]; }
static void add(soa<8> Point * uniform p, uniform int k) { p[k].x += 3; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<16> Mixed * uniform m = made(3);
    foreach (k = 0 ... 48) {
        m[k].v.x = k; m[k].v.y = -k; m[k].v.z = 2 * k; m[k].flag = k & 1; m[k].d = k * 0.5d;
        for (uniform int j = 0; j < 2; ++j) {
            m[k].parts[j].a = k + j;
            for (uniform int l = 0; l < 3; ++l) m[k].parts[j].b[l] = 100 * l + k;
        }
        m[k].p = &f[k]; m[k].w = k;
    }
    foreach (k = 0 ... 48) {
        int r = 47 - k;
        Mixed s = m[r];
        out[r] = s.v.x + s.v.y + s.v.z + s.d + s.parts[1].a + s.parts[0].b[2] - (int)s.w + (s.flag ? 1 : 0) + *s.p;
        out[48 + r] = m[r].parts[r & 1].b[r % 3];
        if (r % 3 == 0) { m[r].parts[r & 1].b[r % 3] = 7; m[r].v = m[r].v * 2; }
        if (k % 5 == 0) { soa<16> Mixed * varying q = m + r; q->d += 1; }
    }
    for (uniform int k = 0; k < 48; ++k) {
        soa<16> Mixed * uniform q = &m[k];
        out[96 + k] = q->parts[k & 1].b[k % 3];
        uniform Mixed u = *q;
        out[144 + k] = u.v.z + u.d;
    }
    delete m;

    soa<8> Point * uniform p = uniform new soa<8> Point[2];
    soa<8> Point * uniform end = p + 16;
    uniform int count = 0;
    for (soa<8> Point * uniform t = p; t != end; ++t) { t->y = 3 * count; t->x = 0; ++count; }
    out[192] = count * (end - p);
    out[193] = p[12].y;
    out[194] = p[3].y;
    add(p, 5);
    add(p + 1, 4);
    soa<8> Point * varying v = p + 5;
    v->x += 10;
    out[195] = p[5].x;
    foreach (k = 0 ... 16) out[196 + k] = p[15 - (15 - k)].y;

    soa<8> Point one;
    soa<8> Point * uniform q = &one;
    q->x = 7; q[3].x = 9;
    soa<8> Point * uniform z = NULL;
    out[212] = one.x; out[213] = (q + 3)->x; out[214] = z == NULL;
    z = &q[3];
    add(q, 3);
    out[215] = z->x; out[216] = z - q; out[217] = z > q;
    delete p;

    soa<4> Point * varying mine = uniform new soa<4> Point[programCount];
    mine += 4 * programIndex;
    mine[0].x = programIndex; mine[1].x = 10 * programIndex; mine[3].y = 5;
    uniform int at = 218;
    out[at + programIndex] = mine->x + (mine + 1)->x + mine[3].y;
    at += programCount;
    soa<4> Point * varying own = new soa<4> Point[2];
    for (int k = 0; k < 8; ++k) own[k].x = k * programIndex;
    out[at + programIndex] = own[7].x + own[1].x;
    at += programCount;
    own += 3 + (programIndex & 1);
    out[at + programIndex] = own->x;
    own -= 3 + (programIndex & 1);
    delete own;
}
