// claim: of a struct behind a varying pointer, uniform members are the lowest active lane's; stored, every active lane writes them
// widths: 4 8 16 32 64
// expect: [10, 11, 12, 100, 5, 30, 300, 2, -1], np.arange(16) % W * 2 + 7, np.where(np.arange(16) < W, np.where(np.arange(16) > 1, 10, np.arange(16) * 10), 0), [-1, 10]
struct Inner { uniform int k; float f; };
struct Q { uniform float<3> v; float y; uniform int16 few[2]; Inner inner; uniform float * uniform p; uniform bool b; };
static inline float sum(Q q) { return q.v.x + q.y; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Q a[64];
    uniform float values[64];
    for (uniform int k = 0; k < 64; ++k) {
        a[k].v.x = k * 10;
        a[k].v.y = k * 10 + 1;
        a[k].v.z = k * 10 + 2;
        a[k].y = k;
        a[k].few[0] = k * 100;
        a[k].few[1] = k * 5;
        a[k].inner.k = k * 30;
        a[k].inner.f = k + 0.5;
        a[k].p = &values[k];
        a[k].b = k == 1;
        values[k] = 300 * k;
    }
    uniform Q * varying p = &a[programIndex];
    Q s;
    s.y = 7;
    s.inner.f = 7;
    if (programIndex >= 1)
        s = *p;
    out[0] = s.v.x;
    out[1] = s.v.y;
    out[2] = s.v.z;
    out[3] = s.few[0];
    out[4] = s.few[1];
    out[5] = s.inner.k;
    out[6] = *s.p;
    out[7] = s.b ? 2 : 3;
    Q none;
    none.v.x = -1;
    if (programIndex > 100)
        none = *p;
    out[8] = none.v.x;
    for (uniform int k = 0; k < 16; ++k) {
        uniform int lane = k % programCount;
        out[9 + k] = reduce_max(programIndex == lane ? s.y + s.inner.f : 0) + (lane == 0 ? -7 : 6.5);
    }
    if (programIndex > 1)
        *p = s;
    for (uniform int k = 0; k < 16; ++k)
        out[25 + k] = k < programCount ? a[k].v.x : 0;
    out[41] = -1;
    uniform float * uniform last = a[programCount - 1].p;
    // The lanes that a loop has left do not count.
    int turns = 0;
    while (turns < programIndex)
        turns++;
    if (turns == programCount - 1) {
        uniform Q * varying other = &a[(turns + 63) & 63] + 1;
        a[63].v.x = reduce_max(sum(*other) - turns);
    }
    out[42] = a[63].v.x;
}
