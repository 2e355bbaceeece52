// claim: lane l of a foreach group handles base + l
// expect: [(k - 5) % W for k in range(5, 40)], [(k - 5) // W for k in range(5, 40)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int group = 0;
    foreach (k = 5 ... 40) {
        out[k - 5] = programIndex;
        out[30 + k] = group;
        group++;
    }
}
