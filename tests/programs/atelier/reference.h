// What the renderer does, as plain C++ for one ray and one pixel at a time.
#pragma once
#include "shared.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace reference {

struct Vec {
    float x, y, z;
    float &operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
    float operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};
inline Vec of(const Float3 &v) { return {v.x, v.y, v.z}; }
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(Vec a, Vec b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Vec operator*(Vec a, float b) { return {a.x * b, a.y * b, a.z * b}; }
inline Vec operator-(Vec a) { return {-a.x, -a.y, -a.z}; }
inline float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline Vec normalized(Vec a) { return a * (1.0f / std::sqrt(dot(a, a))); }

struct Box {
    Vec low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
    void add(const Box &b) {
        for (int k = 0; k < 3; k++) {
            low[k] = std::min(low[k], b.low[k]);
            high[k] = std::max(high[k], b.high[k]);
        }
    }
    Vec center() const { return (low + high) * 0.5f; }
};

struct Texture {
    int width, height;
    TexelFormat format;
    WrapMode wrap[2];
    const uint8 *data;
};
struct Material {
    MaterialKind kind;
    Float3 color;
    float roughness;
    const Texture *texture;
};
struct Geometry {
    ShapeKind kind;
    const Material *material;
    std::vector<Float3> positions, upper;
    std::vector<float> radii;
    float common_radius;
    std::vector<uint16> corners;
    int count() const { return int(kind == SHAPE_TRIANGLES ? corners.size() / 3 : positions.size()); }
    float radius(int k) const { return radii.empty() ? common_radius : radii[k]; }
};

struct Ray {
    Vec org, dir;
    float near, far;
    int geometry = -1, primitive = -1;
    float u = 0, v = 0;
    Vec normal{0, 0, 0};
    void hit(float t, int g, int p, float hit_u, float hit_v) {
        if (t > near && t < far)
            far = t, geometry = g, primitive = p, u = hit_u, v = hit_v;
    }
};

struct Sampler {
    uint32 state;
    int dimension = 0;
    static uint32 mixed(uint32 h) {
        h ^= h >> 16;
        h *= 0x7feb352du;
        h ^= h >> 15;
        h *= 0x846ca68bu;
        return h ^ h >> 16;
    }
    Sampler(int pixel, int sample) : state(mixed(uint32(pixel) * 9781u + uint32(sample) * 6271u + 1)) {}
    float next() {
        static const int permuted[2][4] = {{0, 2, 1, 3}, {3, 1, 2, 0}};
        state = state * 747796405u + 2891336453u;
        uint32 word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
        word = (word >> 22) ^ word;
        if (dimension < 3)
            word ^= uint32(permuted[dimension & 1][word >> 30]) << 29;
        dimension++;
        return float(word >> 8) * (1.0f / 16777216.0f);
    }
    Vec on_hemisphere(Vec n) {
        Vec d;
        int turns = 0;
        do {
            for (int k = 0; k < 3; k++)
                d[k] = 2.0f * next() - 1.0f;
        } while ((dot(d, d) > 1.0f || dot(d, d) < 0.001f) && ++turns < 16);
        d = normalized(d);
        return dot(d, n) < 0 ? -d : d;
    }
};

struct Node {
    Box bounds;
    int second = 0, first = 0, references = 0;
    bool leaf = false;
};

struct Scene {
    std::vector<Geometry> geometries;
    struct Reference {
        uint32 code;
        int geometry, primitive;
    };
    std::vector<Reference> references;
    std::vector<Node> nodes;
    int depth = 0;

    Box bounds(int g, int k) const {
        const Geometry &geometry = geometries[g];
        Box box;
        if (geometry.kind == SHAPE_SPHERES) {
            const float r = geometry.radius(k);
            box.low = of(geometry.positions[k]) - Vec{r, r, r};
            box.high = of(geometry.positions[k]) + Vec{r, r, r};
        } else if (geometry.kind == SHAPE_TRIANGLES) {
            for (int c = 0; c < 3; c++) {
                Box point;
                point.low = point.high = of(geometry.positions[geometry.corners[3 * k + c]]);
                box.add(point);
            }
        } else {
            box.low = of(geometry.positions[k]);
            box.high = of(geometry.upper[k]);
        }
        return box;
    }

    void build() {
        Box all;
        for (size_t g = 0; g < geometries.size(); g++)
            for (int k = 0; k < geometries[g].count(); k++) {
                Box point;
                point.low = point.high = bounds(int(g), k).center();
                all.add(point);
            }
        for (size_t g = 0; g < geometries.size(); g++)
            for (int k = 0; k < geometries[g].count(); k++) {
                uint32 code = 0;
                const Vec p = bounds(int(g), k).center();
                for (int axis = 0; axis < 3; axis++) {
                    const float extent = all.high[axis] - all.low[axis];
                    const float place = extent > 0 ? (p[axis] - all.low[axis]) / extent : 0;
                    const uint32 digits = uint32(std::min(place * 1024, 1023.0f));
                    for (int bit = 0; bit < 10; bit++)
                        code |= (digits >> bit & 1) << (3 * bit + 2 - axis);
                }
                references.push_back({code, int(g), k});
            }
        std::stable_sort(references.begin(), references.end(), [](auto &a, auto &b) { return a.code < b.code; });
        emit(0, int(references.size()) - 1, 1);
    }

    int emit(int first, int last, int level) {
        const int at = int(nodes.size());
        nodes.emplace_back();
        depth = std::max(depth, level);
        Node node;
        node.first = first;
        node.references = last - first + 1;
        node.leaf = last - first < LEAF_SIZE;
        if (node.leaf) {
            for (int k = first; k <= last; k++)
                node.bounds.add(bounds(references[k].geometry, references[k].primitive));
        } else {
            const int split = split_of(first, last);
            const int left = emit(first, split, level + 1);
            node.second = emit(split + 1, last, level + 1);
            node.bounds.add(nodes[left].bounds);
            node.bounds.add(nodes[node.second].bounds);
        }
        nodes[at] = node;
        return at;
    }

    // The last one whose code begins as the first one's does.
    int split_of(int first, int last) const {
        const uint32 a = references[first].code, b = references[last].code;
        if (a == b)
            return (first + last) / 2;
        const int same = __builtin_clz(a ^ b);
        int split = first;
        for (int k = first; k < last; k++)
            if (references[k].code == a || __builtin_clz(references[k].code ^ a) > same)
                split = k;
        return split;
    }

    void intersect(int g, int k, Ray &ray) const {
        const Geometry &geometry = geometries[g];
        if (geometry.kind == SHAPE_SPHERES) {
            const float r = geometry.radius(k);
            const Vec o = ray.org - of(geometry.positions[k]);
            const float a = dot(ray.dir, ray.dir), b = dot(o, ray.dir), c = dot(o, o) - r * r, d = b * b - a * c;
            if (d < 0)
                return;
            float t = (-b - std::sqrt(d)) / a;
            if (t <= ray.near)
                t = (-b + std::sqrt(d)) / a;
            ray.hit(t, g, k, 0, 0);
        } else if (geometry.kind == SHAPE_TRIANGLES) {
            Vec corner[3];
            for (int c = 0; c < 3; c++)
                corner[c] = of(geometry.positions[geometry.corners[3 * k + c]]);
            const Vec e1 = corner[1] - corner[0], e2 = corner[2] - corner[0], p = cross(ray.dir, e2);
            const float det = dot(e1, p);
            if (std::fabs(det) < 1e-7f)
                return;
            const float inverse = 1 / det;
            const Vec s = ray.org - corner[0], q = cross(s, e1);
            const float u = dot(s, p) * inverse, v = dot(ray.dir, q) * inverse;
            if (u >= 0 && v >= 0 && u + v <= 1)
                ray.hit(dot(e2, q) * inverse, g, k, u, v);
        } else {
            float enter = -1e30f, leave = 1e30f;
            int axis = 0;
            for (int c = 0; c < 3; c++) {
                const float inverse = 1 / ray.dir[c];
                float a = (of(geometry.positions[k])[c] - ray.org[c]) * inverse;
                float b = (of(geometry.upper[k])[c] - ray.org[c]) * inverse;
                if (a > b)
                    std::swap(a, b);
                if (a > enter)
                    enter = a, axis = c;
                leave = std::min(leave, b);
            }
            if (enter <= leave && enter > ray.near)
                ray.hit(enter, g, k, float(axis), enter);
        }
    }

    void surface(Ray &ray) const {
        const Geometry &geometry = geometries[ray.geometry];
        if (geometry.kind == SHAPE_SPHERES) {
            const Vec p = ray.org + ray.dir * ray.far;
            ray.normal = normalized(p - of(geometry.positions[ray.primitive]));
            ray.u = 0.5f + 0.5f * ray.normal.x;
            ray.v = 0.5f + 0.5f * ray.normal.y;
        } else if (geometry.kind == SHAPE_TRIANGLES) {
            Vec corner[3];
            for (int c = 0; c < 3; c++)
                corner[c] = of(geometry.positions[geometry.corners[3 * ray.primitive + c]]);
            ray.normal = normalized(cross(corner[1] - corner[0], corner[2] - corner[0]));
            if (dot(ray.normal, ray.dir) > 0)
                ray.normal = -ray.normal;
        } else {
            const Vec p = ray.org + ray.dir * ray.v;
            const int axis = int(ray.u);
            ray.normal = {0, 0, 0};
            ray.normal[axis] = ray.dir[axis] > 0 ? -1.0f : 1.0f;
            ray.u = axis == 0 ? p.y : p.x;
            ray.v = axis == 2 ? p.y : p.z;
        }
    }

    template <typename Visit> void walk(const Ray &ray, Visit visit) const {
        std::vector<int> stack{0};
        const Vec inverse{1 / ray.dir.x, 1 / ray.dir.y, 1 / ray.dir.z};
        while (!stack.empty()) {
            const int at = stack.back();
            const Node &node = nodes[at];
            stack.pop_back();
            float t0 = ray.near, t1 = ray.far;
            for (int k = 0; k < 3; k++) {
                const float a = (node.bounds.low[k] - ray.org[k]) * inverse[k];
                const float b = (node.bounds.high[k] - ray.org[k]) * inverse[k];
                t0 = std::max(t0, std::min(a, b));
                t1 = std::min(t1, std::max(a, b));
            }
            if (t0 > t1)
                continue;
            if (!visit(node))
                return;
            if (!node.leaf) {
                stack.push_back(node.second);
                stack.push_back(at + 1);
            }
        }
    }

    void trace(Ray &ray, uint64 &boxes) const {
        walk(ray, [&](const Node &node) {
            boxes++;
            for (int k = 0; node.leaf && k < node.references; k++)
                intersect(references[node.first + k].geometry, references[node.first + k].primitive, ray);
            return true;
        });
        if (ray.geometry >= 0)
            surface(ray);
    }

    bool occluded(Ray ray) const {
        walk(ray, [&](const Node &node) {
            for (int k = 0; node.leaf && ray.geometry < 0 && k < node.references; k++)
                intersect(references[node.first + k].geometry, references[node.first + k].primitive, ray);
            return ray.geometry < 0;
        });
        return ray.geometry >= 0;
    }
};

struct Texel {
    float c[4];
};

inline Texel fetch(const Texture &t, int x, int y) {
    Texel r{{0, 0, 0, 1}};
    const int at = y * t.width + x;
    switch (t.format) {
    case TEXEL_R8:
        r.c[0] = r.c[1] = r.c[2] = t.data[at] * (1.0f / 255);
        break;
    case TEXEL_RGB8:
        for (int k = 0; k < 3; k++)
            r.c[k] = t.data[3 * at + k] * (1.0f / 255);
        break;
    case TEXEL_R16:
        r.c[0] = r.c[1] = r.c[2] = ((const uint16 *)t.data)[at] * (1.0f / 65535);
        break;
    default:
        for (int k = 0; k < 4; k++)
            r.c[k] = ((const float *)t.data)[4 * at + k];
    }
    return r;
}

inline int wrapped(int x, int size, WrapMode mode) {
    if (mode == WRAP_CLAMP)
        return std::min(std::max(x, 0), size - 1);
    const int period = mode == WRAP_MIRROR ? 2 * size : size;
    const int m = ((x % period) + period) % period;
    return m < size ? m : 2 * size - 1 - m;
}

inline Texel mixed(const Texel &a, const Texel &b, float s) {
    Texel r;
    for (int k = 0; k < 4; k++)
        r.c[k] = a.c[k] + s * (b.c[k] - a.c[k]);
    return r;
}

inline Texel lookup(const Texture &t, float u, float v) {
    const float x = u * float(t.width) - 0.5f, y = v * float(t.height) - 0.5f, fx = std::floor(x), fy = std::floor(y);
    int ix[2], iy[2];
    for (int k = 0; k < 2; k++) {
        ix[k] = wrapped(int(fx) + k, t.width, t.wrap[0]);
        iy[k] = wrapped(int(fy) + k, t.height, t.wrap[1]);
    }
    return mixed(mixed(fetch(t, ix[0], iy[0]), fetch(t, ix[1], iy[0]), x - fx),
                 mixed(fetch(t, ix[0], iy[1]), fetch(t, ix[1], iy[1]), x - fx), y - fy);
}

struct Scatter {
    Vec weight, emitted{0, 0, 0}, dir;
    bool absorbed = false;
};

inline Scatter scatter(const Material &m, const Ray &ray, Sampler &sampler) {
    Scatter s;
    s.weight = of(m.color);
    if (m.texture) {
        const Texel t = lookup(*m.texture, ray.u, ray.v);
        s.weight = s.weight * Vec{t.c[0], t.c[1], t.c[2]};
    }
    if (m.kind == MATERIAL_GLOW) {
        s.emitted = s.weight;
        s.absorbed = true;
        s.dir = ray.normal;
    } else if (m.kind == MATERIAL_MIRROR) {
        s.dir = ray.dir - ray.normal * (2 * dot(ray.dir, ray.normal));
        if (m.roughness > 0) {
            s.dir = normalized(s.dir + sampler.on_hemisphere(ray.normal) * m.roughness);
            s.absorbed = sampler.next() < 0.05f;
        }
    } else {
        const Vec p = ray.org + ray.dir * ray.far;
        const int cells = int(std::floor(p.x * 2)) ^ int(std::floor(p.y * 2)) ^ int(std::floor(p.z * 2));
        if (m.kind == MATERIAL_CHECKER && cells & 1)
            s.weight = s.weight * 0.25f;
        s.dir = sampler.on_hemisphere(ray.normal);
    }
    return s;
}

inline float exposure_of(int bounce) { return 0.75f / float(bounce + 1); }

struct Renderer {
    const Scene &scene;
    int bounces;
    Vec sky, sun;
    FrameStats stats{};

    Vec shaded(Ray ray, Sampler &sampler) {
        Vec light{0, 0, 0}, weight{1, 1, 1};
        for (int bounce = 0; bounce <= bounces; bounce++) {
            scene.trace(ray, stats.boxes);
            stats.rays[bounce & 3]++;
            if (ray.geometry < 0) {
                const float up = 0.5f * (ray.dir.y + 1);
                return light + weight * Vec{up * sky.x, up * sky.y, up * sky.z};
            }
            const Scatter s = scatter(*scene.geometries[ray.geometry].material, ray, sampler);
            light = light + weight * s.emitted;
            if (s.absorbed)
                return light;
            weight = weight * s.weight;
            Ray next{ray.org + ray.dir * ray.far + ray.normal * 0.001f, sun, 0.001f, 1e30f};
            const float slope = dot(ray.normal, sun);
            if (slope > 0 && !scene.occluded(next))
                light = light + weight * (slope * exposure_of(bounce));
            next.dir = s.dir;
            ray = next;
            if (std::max(weight.x, std::max(weight.y, weight.z)) < 0.05f)
                break;
        }
        return light;
    }

    void render(std::vector<Float3> &sums, const Float3 camera[4], int width, int height, int samples) {
        sums.assign(width * height, {0, 0, 0});
        for (int sample = 0; sample < samples; sample++)
            for (int pixel = 0; pixel < width * height; pixel++) {
                Sampler sampler(pixel, sample);
                const float dx = float(pixel % width) + sampler.next(), dy = float(pixel / width) + sampler.next();
                Ray ray{of(camera[0]), normalized(of(camera[2]) * dx + of(camera[3]) * dy + of(camera[1]) - of(camera[0])), 0, 1e30f};
                const Vec color = shaded(ray, sampler);
                sums[pixel].x += color.x;
                sums[pixel].y += color.y;
                sums[pixel].z += color.z;
                stats.brightest = std::max(stats.brightest, std::max(color.x, std::max(color.y, color.z)));
            }
        stats.deepest = scene.depth;
        for (int pixel = 0; pixel < width * height; pixel++)
            stats.checksum += int64(sums[pixel].y * 4096) * (pixel + 1);
    }
};

} // namespace reference
