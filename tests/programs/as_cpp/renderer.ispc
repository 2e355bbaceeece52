// call: scene: Z(48*40,np.uint32), Z(48*40,np.float32), Z(48*40), F(64*8,-3,3), 48, 40, 24
// call: histogram: Z(256), I(5000,0,256,np.uint8), 5000
// call: tonemap: Z(48*40*3,np.uint8), F(48*40*3,-0.2,2.5), 48*40
enum Material { MATTE, MIRROR, CHECKER, EMISSIVE };
struct Vec3 { float x, y, z; };
inline Vec3 operator+(Vec3 a, Vec3 b) { Vec3 r; r.x = a.x + b.x; r.y = a.y + b.y; r.z = a.z + b.z; return r; }
inline Vec3 operator-(Vec3 a, Vec3 b) { Vec3 r; r.x = a.x - b.x; r.y = a.y - b.y; r.z = a.z - b.z; return r; }
inline Vec3 operator*(Vec3 a, float s) { Vec3 r; r.x = a.x * s; r.y = a.y * s; r.z = a.z * s; return r; }
inline float dot(const Vec3 &a, const Vec3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3 &a, const Vec3 &b) {
    Vec3 r; r.x = a.y * b.z - a.z * b.y; r.y = a.z * b.x - a.x * b.z; r.z = a.x * b.y - a.y * b.x; return r;
}
inline Vec3 unit(Vec3 a) { return a * (1.0f / sqrt(dot(a, a))); }
inline Vec3 vec3(float x, float y, float z) { Vec3 r; r.x = x; r.y = y; r.z = z; return r; }
struct Ray { Vec3 origin, dir; float near, far; int depth; };
struct Hit { float t; int id; Vec3 normal; Material material; bool inside; };
struct Sphere { uniform float cx, cy, cz, r; uniform Material material; uniform uint8 color[3]; uniform bool hidden; };
static uniform int rays_cast = 0;

static bool hit_sphere(uniform Sphere &s, const Ray &ray, Hit &hit, uniform int id) {
    if (s.hidden) return false;
    Vec3 center = vec3(s.cx, s.cy, s.cz);
    Vec3 oc = ray.origin - center;
    float b = dot(oc, ray.dir), c = dot(oc, oc) - s.r * s.r;
    float disc = b * b - c;
    if (disc < 0) return false;
    float root = sqrt(disc);
    float t = -b - root;
    bool inside = false;
    if (t < ray.near) { t = -b + root; inside = true; }
    if (t < ray.near || t > ray.far || t >= hit.t) return false;
    hit.t = t;
    hit.id = id;
    hit.material = s.material;
    hit.inside = inside;
    Vec3 at = ray.origin + ray.dir * t;
    hit.normal = (at - center) * (1.0f / s.r);
    if (inside) hit.normal = hit.normal * -1.0f;
    return true;
}

static bool hit_plane(uniform float height, const Ray &ray, Hit &hit) {
    if (ray.dir.y > -1.0e-4f && ray.dir.y < 1.0e-4f) return false;
    float t = (height - ray.origin.y) / ray.dir.y;
    if (t > ray.near && t < ray.far && t < hit.t) {
        hit.t = t; hit.id = -2; hit.normal = vec3(0, 1, 0); hit.material = CHECKER; hit.inside = false;
        return true;
    }
    return false;
}

static Vec3 trace(uniform Sphere spheres[], uniform int count, Ray ray, int &bounces) {
    Vec3 color = vec3(0, 0, 0);
    float weight = 1;
    bounces = 0;
    for (uniform int depth = 0; depth < 5; depth++) {
        Hit hit;
        hit.t = 1.0e30f; hit.id = -1; hit.inside = false; hit.material = MATTE; hit.normal = vec3(0, 0, 0);
        bool any_hit = hit_plane(-1.5f, ray, hit);
        for (uniform int k = 0; k < count; k++)
            any_hit = hit_sphere(spheres[k], ray, hit, k) || any_hit;
        if (!any_hit) {
            float up = ray.dir.y * 0.5f + 0.5f;
            color = color + vec3(0.3f, 0.4f, 0.9f) * (up * weight);
            break;
        }
        Vec3 at = ray.origin + ray.dir * hit.t;
        Vec3 base;
        switch (hit.material) {
        case CHECKER: {
            int cell = (int)floor(at.x) + (int)floor(at.z);
            base = (cell & 1) ? vec3(0.9f, 0.9f, 0.9f) : vec3(0.1f, 0.1f, 0.1f);
            break;
        }
        case EMISSIVE:
            color = color + vec3(1, 0.9f, 0.7f) * weight;
            return color;
        case MIRROR:
            base = vec3(0.05f, 0.05f, 0.05f);
            break;
        default: {
            uniform float scale = 1.0f / 256.0f;
            base = vec3(spheres[hit.id].color[0] * scale, spheres[hit.id].color[1] * scale, spheres[hit.id].color[2] * scale);
        }
        }
        Vec3 light = unit(vec3(1, 2, -1.5f));
        float lit = max(0.1f, dot(light, hit.normal));
        cif (lit > 0.1f) {
            Ray shadow;
            shadow.origin = at; shadow.dir = light; shadow.near = 1.0e-3f; shadow.far = 100; shadow.depth = depth;
            Hit blocked;
            blocked.t = 1.0e30f;
            for (uniform int k = 0; k < count; k++)
                if (hit_sphere(spheres[k], shadow, blocked, k)) { lit = 0.1f; break; }
        }
        color = color + base * (lit * weight);
        if (hit.material != MIRROR) break;
        weight *= 0.7f;
        ray.origin = at + hit.normal * 1.0e-3f;
        ray.dir = ray.dir - hit.normal * (2 * dot(ray.dir, hit.normal));
        bounces++;
    }
    return color;
}

static inline uint32 packed(Vec3 c) {
    uint32 r = (uint32)(int)(clamp(c.x, 0.0f, 1.0f) * 255.0f), g = (uint32)(int)(clamp(c.y, 0.0f, 1.0f) * 255.0f), b = (uint32)(int)(clamp(c.z, 0.0f, 1.0f) * 255.0f);
    return r | (g << 8) | (b << 16);
}

task void band(uniform uint32 image[], uniform float depth[], uniform int bounced[], uniform Sphere * uniform spheres, uniform int count,
               uniform int width, uniform int height) {
    uniform int first = taskIndex * 8; uniform int last = min(height, first + 8);
    foreach_tiled (y = first ... last, x = 0 ... width) {
        Ray ray;
        ray.origin = vec3(0, 0.5f, -6);
        ray.dir = unit(vec3((x - width * 0.5f) / width, (height * 0.5f - y) / height, 1));
        ray.near = 1.0e-3f; ray.far = 1000; ray.depth = 0;
        int bounces;
        Vec3 c = trace(spheres, count, ray, bounces);
        image[y * width + x] = packed(c);
        depth[y * width + x] = c.x + c.y * 2 + c.z * 4;
        bounced[y * width + x] = bounces;
    }
}

export void scene(uniform uint32 image[], uniform float depth[], uniform int bounced[], uniform float given[], uniform int width,
                  uniform int height, uniform int count) {
    uniform Sphere * uniform spheres = uniform new uniform Sphere[count];
    for (uniform int k = 0; k < count; k++) {
        spheres[k].cx = given[k * 8]; spheres[k].cy = given[k * 8 + 1] * 0.5f; spheres[k].cz = given[k * 8 + 2];
        spheres[k].r = 0.3f + abs(given[k * 8 + 3]) * 0.2f;
        spheres[k].material = k % 5 == 1 ? MIRROR : k % 7 == 3 ? EMISSIVE : MATTE;
        for (uniform int c = 0; c < 3; c++) spheres[k].color[c] = (uint8)(int)(abs(given[k * 8 + 4 + c]) * 80);
        spheres[k].hidden = given[k * 8 + 7] > 2.5f;
    }
    launch[(height + 7) / 8] band(image, depth, bounced, spheres, count, width, height);
    sync;
    delete[] spheres;
}

export void histogram(uniform int bins[], uniform uint8 values[], uniform int n) {
    foreach (i = 0 ... n) {
        int v = values[i];
        atomic_add_global(&bins[v], v - v + 1);
    }
}

export void tonemap(uniform uint8 out[], uniform float given[], uniform int n) {
    foreach (i = 0 ... n) {
        float c[3];
        for (uniform int k = 0; k < 3; k++) c[k] = given[i * 3 + k];
        float most = max(c[0], max(c[1], c[2]));
        float scale = most > 1 ? 1 / most : 1;
        for (uniform int k = 0; k < 3; k++) {
            float v = c[k] * scale;
            int level = v <= 0 ? 0 : v >= 1 ? 255 : (int)(v * v * (3 - 2 * v) * 255.0f + 0.5f);
            out[i * 3 + k] = (uint8)level;
        }
    }
}
