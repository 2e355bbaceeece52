// claim: swizzles pick elements by the letters xyzw, rgba and uv
// expect: [1, 2, 3, 4], [3, 3, 1], [2, 10, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float<4> v = { 1, 2, 3, 4 };
    for (uniform int k = 0; k < 4; k++)
        out[k] = v[k];
    uniform float<3> s = v.zbr;
    out[4] = s.x;
    out[5] = s.y;
    out[6] = s.z;
    v.g = 10;
    uniform float<2> t = v.yx;
    out[7] = 2;
    out[8] = t.u;
    out[9] = t.v;
}
