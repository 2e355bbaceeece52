// claim: a varying index into uniform structs gathers whole structs and single members
// expect: [3 * ((k * 3) % 8) + 0.5 for k in range(n)], [(k * 3) % 8 for k in range(n)]
struct Item { int key; float weight; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Item table[8];
    foreach (k = 0 ... 8) {
        table[k].key = k;
        table[k].weight = 3 * k + 0.5;
    }
    foreach (k = 0 ... n) {
        Item found = table[(k * 3) % 8];
        out[k] = found.weight;
        out[64 + k] = table[(k * 3) % 8].key;
    }
}
