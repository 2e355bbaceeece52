#include "scene.h"
#include "vec.isph"

struct Ray { V3 org, dir, inv; float tmin, tmax; };
struct Hit { float t, u, v; int prim; V3 normal; int material; bool found; };

struct Scene {
    const V3 *vertices;
    const Triangle *triangles;
    const Node *nodes;
    const int32 *order;
    const Sphere *spheres;
    int32 nspheres;
    const Material *materials;
    const uint8 *texture;
    uint32 flags;
    V3 fog;
};

struct Sampler { uint32 state; };

static inline uint32 hash(uint32 x) {
    x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
    return x;
}

static inline float next(Sampler &s) {
    s.state ^= s.state << 13;
    s.state ^= s.state >> 17;
    s.state ^= s.state << 5;
    return (s.state >> 8) * 0x1p-24f;
}

static V3 in_sphere(Sampler &s) {
    V3 p;
    do {
        const float x = 2 * next(s) - 1;
        const float y = 2 * next(s) - 1;
        const float z = 2 * next(s) - 1;
        p = make_V3(x, y, z);
    } while (dot(p, p) >= 1.0f);
    return p;
}

static inline bool slab(const uniform Box &b, const Ray &r, float far, float &near) {
    const float x0 = (b.lo.x - r.org.x) * r.inv.x, x1 = (b.hi.x - r.org.x) * r.inv.x;
    const float y0 = (b.lo.y - r.org.y) * r.inv.y, y1 = (b.hi.y - r.org.y) * r.inv.y;
    const float z0 = (b.lo.z - r.org.z) * r.inv.z, z1 = (b.hi.z - r.org.z) * r.inv.z;
    near = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), r.tmin));
    const float end = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), far));
    return near <= end;
}

static void triangle(const uniform Scene * uniform s, uniform int id, const Ray &r, Hit &h) {
    const uniform Triangle t = s->triangles[id];
    const uniform V3 a = s->vertices[t.v[0]];
    const uniform V3 e1 = s->vertices[t.v[1]] - a, e2 = s->vertices[t.v[2]] - a;
    const V3 p = cross(r.dir, (V3)e2);
    const float det = dot((V3)e1, p);
    if (det == 0) return;
    const float inv = 1 / det;
    const V3 q = r.org - a;
    const float u = dot(q, p) * inv;
    if (u < 0 || u > 1) return;
    const V3 w = cross(q, (V3)e1);
    const float v = dot(r.dir, w) * inv;
    if (v < 0 || u + v > 1) return;
    const float d = dot((V3)e2, w) * inv;
    if (d > r.tmin && (d < h.t || d == h.t && h.prim >= 0 && id < h.prim)) {
        h.t = d; h.u = u; h.v = v; h.prim = id; h.found = true;
        h.normal = cross(e1, e2);
        h.material = t.material;
    }
}

static void sphere(const uniform Sphere &s, const uniform int id, const Ray &r, Hit &h) {
    const V3 oc = r.org - s.center;
    const float a = dot(r.dir, r.dir), b = dot(oc, r.dir), c = dot(oc, oc) - s.radius * s.radius;
    const float disc = b * b - a * c;
    cif (disc > 0) {
        const float root = sqrt(disc);
        float t = (-b - root) / a;
        if (t <= r.tmin) t = (-b + root) / a;
        if (t > r.tmin && t < h.t) {
            h.t = t; h.prim = ~id; h.found = true; h.u = 0; h.v = 0;
            h.normal = (r.org + r.dir * t) - s.center;
            h.material = s.material;
        }
    }
}

// One stack for the gang: a node is visited if any lane meets it.
static void closest(const uniform Scene * uniform s, const Ray &r, Hit &h) {
    h.t = r.tmax; h.found = false; h.prim = -1; h.material = 0;
    h.u = h.v = 0; h.normal = make_V3(0.0f);
    for (uniform int k = 0; k < s->nspheres; k++) sphere(s->spheres[k], k, r, h);
    uniform int stack[STACK_SIZE], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const uniform int index = stack[--top];
        const uniform Node * uniform node = &s->nodes[index];
        float near;
        const bool meets = slab(node->bounds, r, h.t, near);
        if (none(meets)) continue;
        if (node->count) {
            cif (meets)
                for (uniform int k = 0; k < node->count; k++) triangle(s, s->order[node->first + k], r, h);
        } else {
            // the child that most lanes come to first is visited first
            const uniform int axis = node->axis;
            const float d = axis == 0 ? r.dir.x : axis == 1 ? r.dir.y : r.dir.z;
            const uniform bool backwards = popcnt(meets && d < 0) > popcnt(meets && d >= 0);
            stack[top++] = node->first + (backwards ? 0 : 1);
            stack[top++] = node->first + (backwards ? 1 : 0);
            assert(top <= STACK_SIZE);
        }
    }
}

// A stack for each lane.
static bool occluded(const uniform Scene * uniform s, const Ray &r) {
    for (uniform int k = 0; k < s->nspheres; ++k) {
        Hit h;
        h.t = r.tmax; h.found = false;
        sphere(s->spheres[k], k, r, h);
        if (h.found) return true;
    }
    int stack[STACK_SIZE];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Node node = s->nodes[index];
        float near;
        bool inside = true;
        Box b = node.bounds;
        // the same test, of boxes that differ from lane to lane
        const float x0 = (b.lo.x - r.org.x) * r.inv.x, x1 = (b.hi.x - r.org.x) * r.inv.x;
        const float y0 = (b.lo.y - r.org.y) * r.inv.y, y1 = (b.hi.y - r.org.y) * r.inv.y;
        const float z0 = (b.lo.z - r.org.z) * r.inv.z, z1 = (b.hi.z - r.org.z) * r.inv.z;
        near = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), r.tmin));
        inside = near <= min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), r.tmax));
        if (!inside) continue;
        if (node.count == 0) {
            stack[top++] = node.first;
            stack[top++] = node.first + 1;
            continue;
        }
        for (int k = 0; k < node.count; k++) {
            const int id = s->order[node.first + k];
            const Triangle t = s->triangles[id];
            const V3 a = s->vertices[t.v[0]];
            const V3 e1 = s->vertices[t.v[1]] - a, e2 = s->vertices[t.v[2]] - a;
            const V3 p = cross(r.dir, e2);
            const float det = dot(e1, p);
            if (det == 0) continue;
            const float inv = 1 / det;
            const V3 q = r.org - a;
            const float u = dot(q, p) * inv;
            if (u < 0 || u > 1) continue;
            const V3 w = cross(q, e1);
            const float v = dot(r.dir, w) * inv;
            if (v < 0 || u + v > 1) continue;
            const float d = dot(e2, w) * inv;
            if (d > r.tmin && d < r.tmax) return true;
        }
    }
    return false;
}

static Ray make_ray(V3 org, V3 dir, float tmin = 1e-3f, float tmax = 1e20f) {
    Ray r;
    r.org = org; r.dir = dir; r.tmin = tmin; r.tmax = tmax;
    r.inv = make_V3(1 / dir.x, 1 / dir.y, 1 / dir.z);
    return r;
}

struct Path { V3 throughput, radiance; int bounces; bool alive; };

typedef V3 (*Scatter)(const Material &m, const V3 &dir, V3 n, Sampler &s, V3 &weight);

static V3 scatter_matte(const Material &m, const V3 &dir, V3 n, Sampler &s, V3 &weight) {
    weight = m.albedo;
    V3 d = n + in_sphere(s) * 0.99f;
    return normalize(d);
}
static V3 scatter_mirror(const Material &m, const V3 &dir, V3 n, Sampler &s, V3 &weight) {
    weight = m.albedo;
    V3 d = dir - n * (2 * dot(dir, n));
    if (m.roughness > 0) d = d + in_sphere(s) * m.roughness;
    return normalize(d);
}
static V3 scatter_glass(const Material &m, const V3 &dir, V3 n, Sampler &s, V3 &weight) {
    weight = make_V3(0.95f);
    const float eta = 1 / 1.5f;
    const float c = -dot(dir, n);
    const float k = 1 - eta * eta * (1 - c * c);
    if (k < 0 || next(s) < 0.1f)
        return normalize(dir + n * (2 * c));
    return normalize(dir * eta + n * (eta * c - sqrt(k)));
}

static V3 texel(const uniform uint8 * uniform tex, float u, float v) {
    const int x = (int)(u * 63) & 63, y = (int)(v * 63) & 63;
    const uint8 g = tex[y * 64 + x];
    return make_V3(g * (1 / 255.0f), (g >> 1) / 255.0f, (255 - (int)g) / 255.0f);
}

static void shade(const uniform Scene * uniform s, const Hit &h, Ray &ray, Path &path, Sampler &rng, const uniform V3 &light) {
    V3 n = normalize(h.normal);
    if (dot(n, ray.dir) > 0) n = -n;
    const V3 p = ray.org + ray.dir * h.t;
    if (s->flags & WITH_FOG) {
        const float f = 1 / (1 + 0.01f * h.t);
        path.radiance += path.throughput * (s->fog * (1 - f));
        path.throughput = path.throughput * f;
    }
    // one material at a time for the gang
    foreach_unique (which in h.material) {
        const uniform Material m = s->materials[which];
        switch (m.kind) {
        case EMITTER:
            path.radiance += path.throughput * m.emission;
            path.alive = false;
            break;
        case MATTE: {
            V3 albedo = m.albedo;
            if ((s->flags & WITH_TEXTURE) && m.tag[0] == -1) albedo = albedo * texel(s->texture, h.u, h.v);
            if (s->flags & WITH_SHADOWS) {
                const V3 to = light - p;
                const float d2 = dot(to, to);
                const float d = sqrt(d2);
                Ray shadow = make_ray(p, to / d, 1e-3f, d);
                const float cosine = dot(n, shadow.dir);
                if (cosine > 0 && !occluded(s, shadow))
                    path.radiance += path.throughput * albedo * (cosine * 40 / d2);
            }
            break;
        }
        default:
            break;
        }
    }
    if (!path.alive) return;
    const Material m = s->materials[h.material];
    Scatter f = scatter_matte;
    if (m.kind == MIRROR) f = scatter_mirror;
    else if (m.kind == GLASS) f = scatter_glass;
    V3 weight;
    const V3 d = f(m, ray.dir, n, rng, weight);
    path.throughput *= weight;
    ray = make_ray(p, d);
}

struct Statistics { uint64 rays; int32 deepest; uint32 lanes; };

task void tile(const uniform Scene * uniform s, const uniform Camera * uniform cam, uniform int width, uniform int height,
               uniform int tiles_x, uniform int samples, uniform V3 image[], uniform Statistics * uniform stats) {
    const uniform int tx = taskIndex % tiles_x, ty = taskIndex / tiles_x;
    const uniform int x0 = tx * 16, y0 = ty * 16;
    const uniform int x1 = min(x0 + 16, width), y1 = min(y0 + 16, height);
    const uniform V3 light = { 1, 4.5f, 0.5f };
    int64 rays = 0;
    int deepest = 0;
    foreach_tiled (y = y0 ... y1, x = x0 ... x1) {
        V3 sum = make_V3(0.0f);
        for (uniform int k = 0; k < samples; k++) {
            Sampler rng;
            rng.state = hash((uint32)(y * width + x) * 16 + k) | 1;
            const float px = ((x + next(rng)) / width - 0.5f) * cam->scale;
            const float py = (0.5f - (y + next(rng)) / height) * cam->scale;
            Ray ray = make_ray(cam->eye, normalize(cam->forward + px * cam->right + py * cam->up));
            Path path;
            path.throughput = make_V3(1.0f);
            path.radiance = make_V3(0.0f);
            path.bounces = 0;
            path.alive = true;
            while (path.alive && path.bounces < 5) {
                Hit h;
                closest(s, ray, h);
                ++rays;
                if (!h.found) {
                    path.radiance += path.throughput * lerp(make_V3(0.1f, 0.1f, 0.2f), make_V3(0.5f, 0.7f, 1.0f), 0.5f + 0.5f * ray.dir.y);
                    break;
                }
                shade(s, h, ray, path, rng, light);
                path.bounces++;
                if (path.bounces > 2) {
                    const float q = max(path.throughput.x, max(path.throughput.y, path.throughput.z));
                    if (next(rng) >= q) break;
                    path.throughput = path.throughput / min(q, 1.0f);
                }
            }
            deepest = max(deepest, path.bounces);
            sum += path.radiance;
        }
        image[y * width + x] = sum / samples;
    }
    atomic_add_global(&stats->rays, (uniform uint64)reduce_add(rays));
    atomic_max_global(&stats->deepest, reduce_max(deepest));
}

export void render(const uniform V3 vertices[], const uniform Triangle triangles[], const uniform Node nodes[],
                   const uniform int32 order[], const uniform Sphere spheres[], uniform int nspheres,
                   const uniform Material materials[], const uniform uint8 texture[], uniform RenderFlags flags,
                   const uniform Camera &camera, uniform int width, uniform int height, uniform int samples, uniform V3 image[],
                   uniform uint64 counts[]) {
    uniform Scene scene = { vertices, triangles, nodes, order, spheres, nspheres, materials, texture, flags, { 0.2f, 0.25f, 0.3f } };
    uniform Statistics stats = { 0, 0, 0 };
    const uniform int tx = (width + 15) / 16, ty = (height + 15) / 16;
    launch[tx * ty] tile(&scene, &camera, width, height, tx, samples, image, &stats);
    sync;
    counts[0] = stats.rays;
    counts[1] = stats.deepest;
}

// Tone mapping to bytes; the brightest pixel by a reduction, a histogram by local atomics.
export void develop(const uniform V3 image[], uniform uint8 bytes[], uniform int32 histogram[16], uniform int count, uniform float out[]) {
    float brightest = 0;
    foreach (k = 0 ... count) {
        V3 c = image[k];
        brightest = max(brightest, max(c.x, max(c.y, c.z)));
    }
    const uniform float top = reduce_max(brightest);
    out[0] = top;
    foreach (k = 0 ... count) {
        V3 c = image[k];
        c = make_V3(c.x / (c.x + 1), c.y / (c.y + 1), c.z / (c.z + 1));
        uint8 r = (uint8)(int)(c.x * 255), g = (uint8)(int)(c.y * 255), b = (uint8)(int)(c.z * 255);
        bytes[3 * k] = r; bytes[3 * k + 1] = g; bytes[3 * k + 2] = b;
        const int bin = min(15, (r + (int)g + b) >> 4);
        atomic_add_local(&histogram[bin], 1);
    }
}
