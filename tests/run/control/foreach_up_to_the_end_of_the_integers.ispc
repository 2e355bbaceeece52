// claim: foreach reaches the ends of int32; what overflows in lanes that are off is seen by nobody
// widths: 4 8 16 32 64
// expect: [5, 0, 20, 21, 9, 36, W // 2, 1, 1, (1 << W // 2) - 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int top = 2147483647 + (n - 64);
    int found = 0, negative = 0;
    foreach (k = top - 5 ... top) {
        if (k > 100) found += 1;
        if (k < 0) negative += 1;
    }
    out[0] = reduce_add(found);
    out[1] = reduce_add(negative);
    found = 0;
    foreach (y = 0 ... 2, k = top - 21 ... top) { if (k > 100 && (k & 1)) found += 1; }
    out[2] = reduce_add(found);
    found = 0;
    foreach_tiled (y = top - 3 ... top, k = top - 21 ... top) { if (k > 100 && (y & 1)) found += 1; }
    out[3] = reduce_add(found);
    found = 0;
    foreach (k = -top - 1 ... -top + 8) { if (k < 100) found += 1; }
    out[4] = reduce_add(found);
    uniform int counted = 0;
    foreach (k = top - 37 ... top) { counted += popcnt(k > 0 && k < top - 1); }
    out[5] = counted;
    int x = programIndex < programCount / 2 ? i[programIndex] : top;
    if (programIndex < programCount / 2) {
        out[6] = popcnt(x + 1 > -1000);
        out[7] = all(x + 1 > -1000);
        out[8] = none(x + 1 < -1000);
        out[9] = packmask(x + 1 > -1000) & 0xffffffff;
    }
}
