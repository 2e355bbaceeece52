// claim: a print of nothing writes nothing
// expect: [1]
// prints: ab
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    print("a");
    print("");
    print("b");
    out[0] = 1;
}
