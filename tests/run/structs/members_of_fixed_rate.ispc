// claim: a member declared uniform or varying keeps its rate, an unqualified one follows the object
// widths: 4 8 16 32 64
// expect: [8 * W, 12 * W, 3], L + 1
struct Mixed { float a; uniform float b; varying float c; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sizeof(uniform Mixed);
    out[1] = sizeof(varying Mixed);
    uniform Mixed m;
    m.b = 3;
    m.c = programIndex + 1;
    out[2] = m.b;
    out[3 + programIndex] = m.c;
}
