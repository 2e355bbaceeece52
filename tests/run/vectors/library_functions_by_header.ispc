// claim: short_vec.isph has the functions of the library for short vectors, at both rates
// expect: np.abs(f) + np.floor(f), np.maximum(f, 0.5) + np.clip(f, -1, 1), np.isinf(f) + 2.0, [1 + 2 + 3, 0 + 4 + 9, 1 + 8 + 81]
#include "short_vec.isph"
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float<3> v = { f[k], 2, -1 };
        float<3> a = abs(v), b = floor(v), m = max(v, (float<3>)0.5f), c = clamp(v, (float<3>)-1.0f, (float<3>)1.0f);
        bool<3> wrong = isinf(v), fine = isfinite(v);
        out[k] = a.x + b.x;
        out[n + k] = m.x + c.x;
        out[2 * n + k] = (wrong.x ? 1 : 0) + (fine.y ? 1 : 0) + (fine.z ? 1 : 0);
    }
    uniform float<3> u = { 1, 4, 9 }, two = { 0.0f, 1.5f, 2.0f };
    uniform float<3> roots = sqrt(u), powers = pow(u, two);
    uniform float<3> high = select(u > 1.5f, u, (uniform float<3>)0.0f);
    out[3 * n] = roots.x + roots.y + roots.z;
    out[3 * n + 1] = high.x + high.y + high.z;
    out[3 * n + 2] = powers.x + powers.y + powers.z;
}
