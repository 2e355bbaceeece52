// claim: short vectors are members, parameters, results and elements of arrays
// expect: f + 2 * f[::-1], f[::-1] * 3
struct Ray { float<3> origin; float<3> direction; };
static noinline float<3> along(Ray r, float t) {
    return r.origin + r.direction * t;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Ray r;
        float<3> a = { f[k], 0, 1 }, d = { f[63 - k], f[63 - k], 0 };
        r.origin = a;
        r.direction = d;
        float<3> p[2];
        p[0] = along(r, 2);
        p[1] = along(r, 3);
        out[k] = p[0].x;
        out[64 + k] = p[1].y;
    }
}
