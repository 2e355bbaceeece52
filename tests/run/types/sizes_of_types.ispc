// claim: sizeof measures varying types by default, uniform ones when asked
// expect: [4 * W, 4, W, 1, 8 * W, 2 * W, P, P * W, 2 * W, 2, 12 * W, 16, 32, 16]
struct Point { float x; int a[2]; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sizeof(int);
    out[1] = sizeof(uniform int);
    out[2] = sizeof(int8);
    out[3] = sizeof(uniform int8);
    out[4] = sizeof(double);
    out[5] = sizeof(float16);
    out[6] = sizeof(void * uniform);
    out[7] = sizeof(void * varying);
    out[8] = sizeof(uint16);
    out[9] = sizeof(uniform uint16);
    out[10] = sizeof(Point);
    out[11] = sizeof(uniform float<3>);
    out[12] = sizeof(uniform float<5>);
    uniform Point p[2];
    out[13] = sizeof(p) - 8;
}
