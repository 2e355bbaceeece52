// claim: in a compound assignment the right side is first converted to the type of the left
// expect: [6, 3, 76, 4], i * 2
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int x = 3 + n - 64;
    x *= 2.5;
    out[0] = x;
    x = 7;
    x /= 2.9;
    out[1] = x;
    uniform int8 c = 100;
    c += 1000;
    out[2] = c;
    uniform uint8 a = 250;
    a += 10;
    out[3] = a;
    foreach (k = 0 ... n) {
        int v = i[k];
        v *= 2.75;
        out[4 + k] = v;
    }
}
