// claim: short vectors compute element by element, scalars are broadcast
// expect: f * 2 + 1, f[::-1] * 2 - 3, i * 2.0
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float<3> a = { f[k], f[63 - k], i[k] }, b = { 1, -3, 0 };
        float<3> c = a * 2 + b;
        out[k] = c.x;
        out[64 + k] = c.y;
        out[128 + k] = c[2];
    }
}
