// The same pictures by plain C++: each ray meets each triangle, without a tree, one pixel after the other.
#include "build.h"
#include "trace.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
using namespace ispc;

// Tasks run one after the other, each while it is launched.
typedef void Task(void *, int, int, int, int, int, int, int, int, int, int);
extern "C" void *ISPCAlloc(void **handle, int64_t size, int32_t alignment) {
    return *handle = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
extern "C" void ISPCLaunch(void **, void *function, void *data, int n0, int n1, int n2) {
    for (int k = 0; k < n0 * n1 * n2; k++)
        ((Task *)function)(data, 0, 1, k, n0 * n1 * n2, k % n0, k / n0 % n1, k / n0 / n1, n0, n1, n2);
}
extern "C" void ISPCSync(void *handle) { free(handle); }

static float mn(float a, float b) { return a < b ? a : b; }
static float mx(float a, float b) { return a > b ? a : b; }
static V3 v3(float x, float y, float z) { V3 r; r.x = x; r.y = y; r.z = z; return r; }
static V3 operator+(V3 a, V3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static V3 operator-(V3 a, V3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static V3 operator*(V3 a, V3 b) { return v3(a.x * b.x, a.y * b.y, a.z * b.z); }
static V3 operator*(V3 a, float s) { return v3(a.x * s, a.y * s, a.z * s); }
static V3 operator/(V3 a, float s) { return v3(a.x / s, a.y / s, a.z / s); }
static float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static V3 cross(V3 a, V3 b) { return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
static V3 norm(V3 a) { return a / std::sqrt(dot(a, a)); }
struct Rng { uint32_t s; float next() { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return (s >> 8) * (1.0f / 16777216); }
    V3 ball() { for (;;) { float x = 2 * next() - 1; float y = 2 * next() - 1; float z = 2 * next() - 1; V3 p = v3(x, y, z); if (dot(p, p) < 1) return p; } } };
static uint32_t hash32(uint32_t x) { x ^= x >> 16; x *= 0x7feb352d; x ^= x >> 15; x *= 0x846ca68b; x ^= x >> 16; return x; }
struct H { float t, u = 0, v = 0; int prim = -1, mat = 0; V3 n; bool found = false; };
std::vector<V3> verts; std::vector<Triangle> tris; std::vector<Sphere> spheres; std::vector<Material> mats; std::vector<uint8_t> tex(64 * 64);
static void hit_all(V3 o, V3 d, float tmin, float tmax, H &h) {
    h.t = tmax;
    for (size_t k = 0; k < spheres.size(); k++) {
        V3 oc = o - spheres[k].center; float a = dot(d, d), b = dot(oc, d), c = dot(oc, oc) - spheres[k].radius * spheres[k].radius, disc = b * b - a * c;
        if (disc > 0) { float r = std::sqrt(disc), t = (-b - r) / a; if (t <= tmin) t = (-b + r) / a;
            if (t > tmin && t < h.t) { h.t = t; h.prim = ~(int)k; h.found = true; h.u = h.v = 0; h.n = (o + d * t) - spheres[k].center; h.mat = spheres[k].material; } }
    }
    for (size_t k = 0; k < tris.size(); k++) {
        V3 a = verts[tris[k].v[0]], e1 = verts[tris[k].v[1]] - a, e2 = verts[tris[k].v[2]] - a, p = cross(d, e2); float det = dot(e1, p);
        if (det == 0) continue; float inv = 1 / det; V3 q = o - a; float u = dot(q, p) * inv; if (u < 0 || u > 1) continue;
        V3 w = cross(q, e1); float v = dot(d, w) * inv; if (v < 0 || u + v > 1) continue; float t = dot(e2, w) * inv;
        if (t > tmin && t < h.t) { h.t = t; h.u = u; h.v = v; h.prim = k; h.found = true; h.n = cross(e1, e2); h.mat = tris[k].material; }
    }
}
static V3 sample(int x, int y, int k, int W, int Hh, const Camera &cam, unsigned flags, uint64_t &rays, int &deepest) {
    Rng rng{hash32((uint32_t)(y * W + x) * 16 + k) | 1};
    float px = ((x + rng.next()) / W - 0.5f) * cam.scale; float py = (0.5f - (y + rng.next()) / Hh) * cam.scale;
    V3 o = cam.eye, d = norm((cam.forward + cam.right * px) + cam.up * py), thr = v3(1, 1, 1), rad = v3(0, 0, 0), light = v3(1, 4.5f, 0.5f), fog = v3(0.2f, 0.25f, 0.3f);
    int bounces = 0; bool alive = true;
    while (alive && bounces < 5) {
        H h; hit_all(o, d, 1e-3f, 1e20f, h); rays++;
        if (!h.found) { float t = 0.5f + 0.5f * d.y; rad = rad + thr * (v3(0.1f, 0.1f, 0.2f) * (1 - t) + v3(0.5f, 0.7f, 1.0f) * t); break; }
        V3 n = norm(h.n); if (dot(n, d) > 0) n = v3(-n.x, -n.y, -n.z); V3 p = o + d * h.t;
        if (flags & 2) { float f = 1 / (1 + 0.01f * h.t); rad = rad + thr * (fog * (1 - f)); thr = thr * f; }
        const Material &m = mats[h.mat];
        if (m.kind == EMITTER) { rad = rad + thr * m.emission; alive = false; }
        else if (m.kind == MATTE) { V3 al = m.albedo;
            if ((flags & 4) && m.tag[0] == -1) { int tx = (int)(h.u * 63) & 63, ty = (int)(h.v * 63) & 63; int g = tex[ty * 64 + tx]; al = al * v3(g * (1 / 255.0f), (g >> 1) / 255.0f, (255 - g) / 255.0f); }
            if (flags & 1) { V3 to = light - p; float d2 = dot(to, to), dist = std::sqrt(d2); V3 sd = to / dist; float c = dot(n, sd);
                if (c > 0) { H s; hit_all(p, sd, 1e-3f, dist, s); if (!s.found) rad = rad + (thr * al) * (c * 40 / d2); } } }
        if (alive) { V3 wt = m.albedo, nd;
            if (m.kind == MIRROR) { nd = d - n * (2 * dot(d, n)); if (m.roughness > 0) nd = nd + rng.ball() * m.roughness; }
            else if (m.kind == GLASS) { wt = v3(0.95f, 0.95f, 0.95f); float eta = 1 / 1.5f, c = -dot(d, n), kk = 1 - eta * eta * (1 - c * c);
                if (kk < 0 || rng.next() < 0.1f) nd = d + n * (2 * c); else nd = d * eta + n * (eta * c - std::sqrt(kk)); }
            else nd = n + rng.ball() * 0.99f;
            nd = norm(nd); thr = thr * wt; o = p; d = nd; }
        bounces++;
        if (bounces > 2) { float q = mx(thr.x, mx(thr.y, thr.z)); if (rng.next() >= q) break; thr = thr / mn(q, 1); }
    }
    deepest = std::max(deepest, bounces); return rad;
}
int main() {
    const int G = 12; 
    auto rnd = [] { static uint32_t s = 12345; s = s * 1664525 + 1013904223; return (s >> 8) / 16777216.0f; };
    for (int j = 0; j < G; j++) for (int i = 0; i < G; i++) verts.push_back(v3(i * 0.7f - 4 + rnd() * 0.1f, rnd() * 0.5f, j * 0.7f - 3 + rnd() * 0.1f));
    for (int j = 0; j + 1 < G; j++) for (int i = 0; i + 1 < G; i++) { int a = j * G + i; int kind = (i * 7 + j * 3) % 5;
        Triangle t1 = {{a, a + 1, a + G}, kind}, t2 = {{a + 1, a + G + 1, a + G}, kind}; tris.push_back(t1); tris.push_back(t2); }
    spheres = {{{0, 1, 0}, 0.6f, 2}, {{1.5f, 0.9f, 0.4f}, 0.5f, 3}, {{-1.5f, 1.1f, -.3f}, 0.45f, 4}};
    Material m0 = {{.8f, .5f, .3f}, {0, 0, 0}, 0, MATTE, {-1, 0, 1}}, m1 = {{.4f, .8f, .4f}, {0, 0, 0}, 0, MATTE, {1, 0, 1}}, m2 = {{.9f, .9f, .9f}, {0, 0, 0}, .1f, MIRROR, {}}, m3 = {{1, 1, 1}, {0, 0, 0}, 0, GLASS, {}}, m4 = {{0, 0, 0}, {3, 2, 1}, 0, EMITTER, {}};
    mats = {m0, m1, m2, m3, m4};
    for (int k = 0; k < 4096; k++) tex[k] = (k * 37) ^ (k >> 3);
    int bad = 0;
    for (int balanced = 0; balanced < 2; balanced++) {
        std::vector<Node> nodes(2 * tris.size()); std::vector<int32_t> order(tris.size()); int32_t depth = 0;
        int nn = build(verts.data(), tris.data(), tris.size(), nodes.data(), order.data(), depth, balanced);
        std::vector<int> seen(tris.size());
        for (int k = 0; k < nn; k++) if (nodes[k].count) for (int c = 0; c < nodes[k].count; c++) { int id = order[nodes[k].first + c]; seen[id]++;
            for (int v : tris[id].v) { V3 p = verts[v]; const Box &b = nodes[k].bounds; if (p.x < b.lo.x || p.y < b.lo.y || p.z < b.lo.z || p.x > b.hi.x || p.y > b.hi.y || p.z > b.hi.z) bad++; } }
        for (int s : seen) if (s != 1) bad++;
        const int W = 37, Hh = 29; Camera cam = {{0, 2.2f, -6}, {1, 0, 0}, {0, 1, 0}, {0, -0.2f, 1}, 1.2f};
        for (unsigned flags : {0u, 1u, 7u}) {
            std::vector<V3> image(W * Hh); uint64_t counts[2];
            render(verts.data(), tris.data(), nodes.data(), order.data(), spheres.data(), 3, mats.data(), tex.data(), (RenderFlags)flags, cam, W, Hh, 2, image.data(), counts);
            static std::vector<V3> ref[8]; static uint64_t rr[8]; static int dd[8]; if (ref[flags].empty()) { ref[flags].resize(W * Hh); 
              for (int y = 0; y < Hh; y++) for (int x = 0; x < W; x++) { V3 s = v3(0, 0, 0); for (int k = 0; k < 2; k++) s = s + sample(x, y, k, W, Hh, cam, flags, rr[flags], dd[flags]); ref[flags][y * W + x] = s / 2; } }
            int differ = 0; for (int k = 0; k < W * Hh; k++) if (memcmp(&image[k], &ref[flags][k], 12)) { if (differ < 3) printf("  pixel %d: %g %g %g want %g %g %g\n", k, image[k].x, image[k].y, image[k].z, ref[flags][k].x, ref[flags][k].y, ref[flags][k].z); differ++; }
            if (counts[0] != rr[flags] || (int)counts[1] != dd[flags]) bad++;
            bad += differ;
            std::vector<uint8_t> bytes(3 * W * Hh); int32_t hist[16] = {}; float top[1]; develop(image.data(), bytes.data(), hist, W * Hh, top);
            int rh[16] = {}; float rt = 0; for (int k = 0; k < W * Hh; k++) { int s = 0; for (int c = 0; c < 3; c++) { float v = (&image[k].x)[c]; rt = std::max(rt, v); int b = (int)((v / (v + 1)) * 255); s += b; if (bytes[3 * k + c] != b) bad++; } rh[std::min(15, s >> 4)]++; }
            if (rt != top[0] || memcmp(rh, hist, sizeof rh)) { printf("develop wrong\n"); bad++; }
        }
    }
    printf(bad ? "%d differ\n" : "all right\n", bad); return bad != 0;
}
