// claim: an enum is represented as uint32, so a negative enumerator reads as a large number
// expect: [4294967293.0, 1, 4]
enum Sign { MINUS = -3, PLUS = 3 };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Sign s = MINUS;
    out[0] = s;
    out[1] = s > PLUS ? 1 : 0;
    out[2] = sizeof(uniform Sign);
}
