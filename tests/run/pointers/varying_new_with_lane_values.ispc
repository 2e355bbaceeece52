// claim: behind a varying new a list of lane values gives each lane its element of its own row; what a list leaves out is zero
// expect: np.where(L % 2 == 0, 3 * L, -1), L * 10 + 5, 0 * L, 0 * L
// widths: 4 8 16
struct Row { varying int a; int b; int c[2]; };
#if TARGET_WIDTH == 4
#define LANES {0, 3, 6, 9}
#elif TARGET_WIDTH == 8
#define LANES {0, 3, 6, 9, 12, 15, 18, 21}
#else
#define LANES {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45}
#endif
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int lane = programIndex;
    int r = -1;
    if (lane % 2 == 0) {
        varying int * p = new varying int(LANES);
        r = *p;
        delete p;
    }
    out[lane] = r;
    for (uniform int k = 0; k < 8; k++) {
        // Memory that has been used before.
        varying int * used = new varying int[8];
        for (uniform int e = 0; e < 8; e++) used[e] = 77;
        delete used;
    }
    varying Row * q = new varying Row(LANES, 5);
    out[programCount + lane] = lane * 10 + q->b;
    out[2 * programCount + lane] = q->c[0];
    out[3 * programCount + lane] = q->c[1] + (q->a == 3 * lane ? 0 : 1);
    delete q;
}
