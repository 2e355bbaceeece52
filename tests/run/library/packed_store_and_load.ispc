// claim: packed_store_active writes the active lanes in a row, packed_load_active reads them back
// expect: [v for v in range(n) if i[v] > 0] + [0] * (64 - sum(1 for v in i if v > 0)), [sum(1 for v in i if v > 0)], np.where(L & 1, i[L // 2 + 3], -1)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int kept[64];
    uniform int count = 0;
    foreach (k = 0 ... n) {
        if (i[k] > 0)
            count += packed_store_active(&kept[count], k);
    }
    for (uniform int k = 0; k < count; k++)
        out[k] = kept[k];
    out[64] = count;
    int x = -1;
    if (programIndex & 1)
        packed_load_active(&i[3], &x);
    out[65 + programIndex] = x;
}
