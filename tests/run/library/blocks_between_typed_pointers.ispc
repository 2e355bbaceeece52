// claim: memcpy, memmove and memset take pointers to any type, arrays, const sources and sizes by sizeof, at both rates
// expect: [1, 2, 3, 4, 3, 4, 0, 0], [3, 4, 1, 2], f[:8], f[4:8], np.where(np.arange(16) % W % 3 == 1, f[8 + 2 * (np.arange(16) % W)] + 0.5, 7), np.where(np.arange(16) % W % 3 == 1, 0, np.arange(16) % W * 4)
struct Words { unsigned int32 w[4]; };
struct Pair { float x; float y; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Words a = { { 1, 2, 3, 4 } }, b;
    memset(&b, -1, sizeof(b));
    memcpy(b.w, a.w, sizeof(b.w));
    const uniform Words * uniform from = &a;
    uniform Words c;
    memset64(c.w, 0, sizeof(uniform Words));
    memcpy(&c, &from->w[2], 8);
    uniform int64 few = 8;
    memmove64(a.w + 2, from->w, few);
    memcpy(a.w, from + 0, sizeof(a));
    memcpy(a.w, c.w, 2 * sizeof(uniform int32));
    const uniform float<4> * uniform vectors = (const uniform float<4> * uniform)f;
    uniform float rows[3][4];
    memcpy(rows, vectors, sizeof(rows[0]) * 2);
    memmove(rows[2], rows[1], sizeof(rows[1]));
    for (uniform int k = 0; k < 4; ++k) {
        out[k] = b.w[k];
        out[4 + k] = c.w[k];
        out[8 + k] = a.w[k];
    }
    for (uniform int k = 0; k < 12; ++k) out[12 + k] = rows[k / 4][k & 3];
    uniform Pair pairs[16];
    uniform int marks[16][4];
    for (uniform int k = 0; k < 16; ++k) {
        pairs[k].x = 7;
        pairs[k].y = 7;
        for (uniform int j = 0; j < 4; ++j) marks[k][j] = k * 4;
    }
    Pair * varying to = &pairs[programIndex];
    const Pair * varying source = (const Pair * varying)&f[8 + 2 * programIndex];
    if (programIndex % 3 == 1 && programIndex < 16) {
        memcpy(to, source, sizeof(uniform Pair));
        memmove64(&to->y, &source->x, 4u + 0 * sizeof(uniform float));
        memset(&marks[programIndex][1], 0, 12);
        memset64(marks[programIndex], 0, sizeof(uniform float));
        to->x += 0.5;
    }
    for (uniform int k = 0; k < 16; ++k) {
        out[24 + k] = pairs[k % programCount].x;
        out[40 + k] = marks[k % programCount][k % 4];
    }
}
