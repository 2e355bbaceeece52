// claim: empty statements, empty blocks and loops with empty bodies are allowed
// expect: [10, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int k;
    for (k = 0; k < 10; k++)
        ;
    out[0] = k;
    {}
    ;
    if (n > 0) {} else out[1] = 5;
    if (n > 100) ; else out[1] = 1;
    foreach (j = 0 ... 5) {}
}
