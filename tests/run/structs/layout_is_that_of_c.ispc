// claim: uniform structs have the offsets and padding of C
// expect: [0, P, P + 8, P + 10, P + 16, 12 - P, 0, 4, 16]
struct Mixed { int8 a; double b; bool c; int16 d; float e; };
struct Small { int8 a; float b[3]; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Mixed m;
    uniform int64 base = (uniform int64)&m;
    out[0] = (uniform int64)&m.a - base;
    out[1] = (uniform int64)&m.b - base;
    out[2] = (uniform int64)&m.c - base;
    out[3] = (uniform int64)&m.d - base;
    out[4] = sizeof(uniform Mixed);
    out[5] = 24 - ((uniform int64)&m.e - base);
    uniform Small s;
    base = (uniform int64)&s;
    out[6] = (uniform int64)&s.a - base;
    out[7] = (uniform int64)&s.b[0] - base;
    out[8] = sizeof(uniform Small);
}
