// claim: a nested foreach_active sees the one lane of the outer
// expect: [W, W]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int outer = 0, inner = 0;
    foreach_active (a) {
        outer++;
        foreach_active (b) {
            if (a == b)
                inner++;
        }
    }
    out[0] = outer;
    out[1] = inner;
}
