// claim: structs nest, are copied member by member and reached through . and ->
// expect: [3, 4.5, 7, 3, 9]
struct Inner { int a; float b; };
struct Outer { Inner first; double c; Inner * link; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Outer o;
    o.first.a = 3;
    o.first.b = 4.5;
    o.c = 7;
    o.link = &o.first;
    uniform Outer copy = o;
    o.first.a = 9;
    out[0] = copy.first.a;
    out[1] = copy.first.b;
    out[2] = copy.c;
    out[3] = copy.first.a;
    out[4] = copy.link->a;
}
