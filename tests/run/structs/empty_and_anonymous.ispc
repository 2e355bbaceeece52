// claim: anonymous structs, local structs and typedefs of structs are types
// expect: [3, 9]
typedef struct { int a; int b; } Both;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    struct Local { int x; };
    uniform Both p = { 1, 2 };
    uniform Local q;
    q.x = 9;
    out[0] = p.a + p.b;
    out[1] = q.x;
}
