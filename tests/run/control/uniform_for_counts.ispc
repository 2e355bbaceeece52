// claim: a uniform for loop runs as in C and its variable is scoped to the loop
// expect: [sum(range(n)), 2 * sum(range(0, n, 3))]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a = 0, b = 0;
    for (uniform int k = 0; k < n; ++k)
        a += k;
    for (uniform int k = 0; k < n; k += 3)
        b += 2 * k;
    out[0] = a;
    out[1] = b;
}
