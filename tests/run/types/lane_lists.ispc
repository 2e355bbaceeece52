// claim: a brace list of W values initialises the lanes of a varying variable
// widths: 4
// expect: [3, 1, 4, 1], [5, 5, 5, 5], [2.5, 0, -1, 8]
static int digits = { 3, 1, 4, 1 };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int same = { 5 };
    float g = { 2.5, 0, -1, 8 };
    out[programIndex] = digits;
    out[4 + programIndex] = same;
    out[8 + programIndex] = g;
}
