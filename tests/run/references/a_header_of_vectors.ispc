// claim: a header of vectors with operators on const references, for both rates, does what its formulas say
// where:
//   by = (f * np.float32(0.5)).astype(np.float64)
//   def ray(k):
//       org, d = np.full(3, float(f[k])), np.array([1.0, k, 2.0])
//       org += d * by[k]
//       d = np.full(3, by[k]) if by[k] > 0 else d
//       return org + 2 * d
//   p = np.array([ray(k) for k in range(n)])
//   q = np.minimum(np.abs(p), 7)
//   c = np.cross(p, [1, 2, 3])
// expect: [56, 12, -9, 1, 0, 14, -3, 6], [0] * 56, (p * p).sum(1), q.sum(1) + (-p).max(1), np.where(f > 1, c.sum(1), p[:, 0])
// tolerance: 1e-6
#include "three_floats.isph"
struct Ray { float3 org; float tmin; float3 dir; };
static float3 at(const varying Ray &r, const varying float t) { return r.org + t * r.dir; }
static uniform float3 at(const uniform Ray &r, const uniform float t) { return r.org + t * r.dir; }
static void push(varying Ray &r, const varying float by) {
    r.org += r.dir * by;
    if (by > 0)
        set(r.dir, by);
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float4 u = { 1, 2, 3, 4 };
    xyz(u) *= 2.f;
    out[0] = dot(xyz(u), xyz(u));
    const uniform float4 fixed = u;
    out[1] = reduce_add(xyz(fixed));
    uniform Ray across;
    across.org = make_float3(1.f);
    across.dir = -make_float3(1.f, 2.f, 3.f);
    out[2] = reduce_add(at(across, 2.f));
    out[3] = across.org == make_float3(1.f) ? 1 : 0;
    out[4] = across.org == across.dir ? 1 : 0;
    out[5] = dot(across.dir, across.dir);
    out[6] = dot(lerp(0.5f, across.org, across.dir), make_float3(1.f, 2.f, 2.f));
    out[7] = reduce_add(max(across.org, abs(across.dir)));
    foreach (k = 0 ... n) {
        Ray r;
        r.org = make_float3(0.f + f[k]);
        r.dir = make_float3(1.f, (float)k, 2.f);
        push(r, f[k] * 0.5f);
        float3 p = at(r, 2.f);
        out[64 + k] = dot(p, p);
        float3 low = make_float3((varying float)0.f), high = make_float3((varying float)7.f);
        out[128 + k] = reduce_add(clamp(abs(p), low, high)) + reduce_max(-p);
        float3 c = p;
        if (f[k] > 1) {
            float3 &rc = c;
            const float3 &rp = p;
            rc = cross(rp, make_float3((varying float)1.f, (varying float)2.f, (varying float)3.f));
            out[192 + k] = reduce_add(c);
        } else
            out[192 + k] = c.x;
    }
}
