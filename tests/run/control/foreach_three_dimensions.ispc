// claim: a foreach over three dimensions visits all tuples in source order
// expect: [1 + a * 100 + b * 10 + c for a in range(2) for b in range(3) for c in range(5)], [2 * 3 * -(-5 // W)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int group = 0;
    foreach (a = 0 ... 2, b = 0 ... 3, c = 0 ... 5) {
        out[(a * 3 + b) * 5 + c] += 1 + a * 100 + b * 10 + c;
        group++;
    }
    out[30] = group;
}
