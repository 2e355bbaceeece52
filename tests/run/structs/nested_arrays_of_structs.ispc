// claim: arrays of structs in structs are indexed by every mix of rates
// expect: [10 * (k % 3) + (k % 2) for k in range(n)], [21]
struct Leaf { int a; int b[2]; };
struct Tree { Leaf leaves[3]; float scale; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Tree t;
    for (uniform int j = 0; j < 3; j++)
        for (uniform int m = 0; m < 2; m++)
            t.leaves[j].b[m] = 10 * j + m;
    t.scale = 1;
    foreach (k = 0 ... n)
        out[k] = t.leaves[k % 3].b[k % 2];
    Tree v;
    for (uniform int j = 0; j < 3; j++) {
        v.leaves[j].a = 0;
        v.leaves[j].b[0] = 10 * j;
        v.leaves[j].b[1] = 10 * j + 1;
    }
    int at = 2;
    out[64] = extract(v.leaves[at].b[1], 0);
}
