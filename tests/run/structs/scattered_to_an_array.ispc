// claim: a varying struct is scattered to uniform structs, under the mask
// expect: [v for k in range(16) for v in ((-k, k * 0.5) if k % 3 else (7, 7))]
struct Item { int key; float weight; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Item table[16];
    for (uniform int j = 0; j < 16; j++) {
        uniform Item seven = { 7, 7 };
        table[j] = seven;
    }
    foreach (k = 0 ... 16) {
        Item v = { -k, k * 0.5 };
        if (k % 3 != 0)
            table[k] = v;
    }
    foreach (k = 0 ... 16) {
        out[2 * k] = table[k].key;
        out[2 * k + 1] = table[k].weight;
    }
}
