// claim: for variables and block locals hide outer ones and end with their block
// expect: [100, 45, 7]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int k = 100;
    uniform int s = 0;
    for (uniform int k = 0; k < 10; k++)
        s += k;
    {
        uniform int k = 7;
        out[2] = k;
    }
    out[0] = k;
    out[1] = s;
}
