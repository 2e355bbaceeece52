// claim: references to arrays and structs reach their elements and members
// expect: [6, 9, 15]
struct Box { int low; int high; };
static void widen(uniform Box &b, uniform int by) {
    b.low -= by;
    b.high += by;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a[3][2] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    uniform int (&r)[3][2] = a;
    out[0] = r[2][1];
    r[1][0] = 9;
    out[1] = a[1][0];
    uniform Box b = { 10, 20 };
    widen(b, 5);
    out[2] = b.high - b.low - 5;
}
