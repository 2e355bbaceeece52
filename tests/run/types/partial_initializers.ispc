// claim: missing initial values are zero
// expect: [1, 2, 0, 0, 3, 0, 0, 4, 5]
struct Pair { int a; float b; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int v[4] = { 1, 2 };
    uniform int m[2][2] = { { 3 } };
    uniform Pair p = { 0 };
    uniform float<3> w = { 4 };
    out[0] = v[0];
    out[1] = v[1];
    out[2] = v[2] + v[3];
    out[3] = m[0][1] + m[1][0] + m[1][1];
    out[4] = m[0][0];
    out[5] = p.a + p.b;
    out[6] = w.y + w.z;
    out[7] = w.x;
    out[8] = 5;
}
