// claim: what one lane stores another lane reads after the next sequence point
// expect: (L + 1) % W, np.cumsum(L)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int buffer[64];
    buffer[programIndex] = programIndex;
    out[programIndex] = buffer[(programIndex + 1) % programCount];
    int sum = 0;
    for (uniform int j = 0; j < programCount; j++) {
        if (j <= programIndex)
            sum += buffer[j];
    }
    out[programCount + programIndex] = sum;
}
