// claim: members through varying struct pointers are gathered and scattered under the mask
// expect: [20 * j + (j if j % 2 else 0) for j in range(8)]
struct Cell { float16 pad; int value; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Cell cells[8];
    for (uniform int j = 0; j < 8; j++)
        cells[j].value = 20 * j;
    foreach (k = 0 ... 8) {
        uniform Cell * varying p = &cells[7 - k];
        int place = 7 - k;
        if (place % 2 == 1)
            p->value += place;
    }
    foreach (k = 0 ... 8)
        out[k] = cells[k].value;
}
