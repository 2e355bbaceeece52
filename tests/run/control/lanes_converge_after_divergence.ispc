// claim: lanes that diverged execute together again from the first common statement on
// expect: [2.0 ** W - 1, 2.0 ** W - 1, 2.0 ** W - 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex;
    if (v & 1)
        v += 5;
    else
        v -= 3;
    out[0] = lanemask();
    for (int j = 0; j < (programIndex & 3); j++)
        v++;
    out[1] = lanemask();
    switch (programIndex & 3) {
    case 0: v = 1; break;
    case 1: v = 2;
    default: v = 3;
    }
    out[2] = lanemask() + 0 * (uniform uint64)reduce_add(v);
}
