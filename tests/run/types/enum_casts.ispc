// claim: integers become enums by a cast
// expect: [3 if int(v) & 1 else 4 for v in i]
enum Parity { EVEN = 4, ODD = 3 };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Parity p = (Parity)(4 - (i[k] & 1));
        switch (p) {
        case ODD: out[k] = 3; break;
        case EVEN: out[k] = 4; break;
        }
    }
}
