// claim: a uniform value stored through a varying pointer is written for each active lane
// expect: [4.5 if k & 1 else 0 for k in range(W)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double * varying p = out + programIndex;
    uniform double v = 4.5;
    if (programIndex & 1)
        *p = v;
}
