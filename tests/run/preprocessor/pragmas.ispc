// claim: unroll pragmas change no result, unknown pragmas are ignored
// expect: [sum(range(10))] * 3, i * 3
#pragma something unknown
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a = 0, b = 0, c = 0;
#pragma unroll 4
    for (uniform int k = 0; k < 10; k++)
        a += k;
#pragma nounroll
    for (uniform int k = 0; k < 10; k++)
        b += k;
#pragma unroll
    for (uniform int k = 0; k < 10; k++)
        c += k;
    out[0] = a;
    out[1] = b;
    out[2] = c;
#pragma unroll (2)
    foreach (k = 0 ... n)
        out[3 + k] = i[k] * 3;
}
