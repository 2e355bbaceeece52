// claim: unmasked in a divergent loop runs with all lanes on and the loop's mask is back after it
// expect: np.full(W, W - 1), L
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int all = 0, own = 0;
    for (int j = 0; j < programIndex; j++) {
        unmasked {
            all++;
        }
        own++;
    }
    out[programIndex] = all;
    out[programCount + programIndex] = own;
}
