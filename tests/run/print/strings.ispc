// claim: adjacent strings are joined, escapes stand for their characters
// widths: 4
// prints: one two\n\ttab "quoted" \\ AB end\n
// expect: [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    print("one " "two\n" "\ttab \"quoted\" \\ \101\x42 end\n");
}
