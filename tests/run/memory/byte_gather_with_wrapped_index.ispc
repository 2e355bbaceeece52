// claim: gathers from a byte array with indices wrapped by % read the right byte
// expect: [((k * 7 + 5) % 50) * 5 & 0xff for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform uint8 bytes[50];
    foreach (k = 0 ... 50)
        bytes[k] = k * 5;
    foreach (k = 0 ... n)
        out[k] = bytes[(k * 7 + 5) % 50];
}
