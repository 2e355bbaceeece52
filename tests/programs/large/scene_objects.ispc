// claim: objects with tables of functions, inheritance by a first member, and vectors whose operators macros make, trace rays as numpy does
// where:
//   def unit(v): return v / np.linalg.norm(v)
//   spheres = [((-1.5, 0, 6), 1.0, 0), ((1.5, 0.25, 5), 0.75, 1), ((0, -0.5, 8), 2.0, 2)]
//   def trace(o, d, depth):
//       best, what = 1e30, None
//       for c, r, m in spheres:
//           oc = o - np.array(c); b = oc @ d; h = b * b - (oc @ oc - r * r)
//           if h > 0:
//               s = math.sqrt(h)
//               for t in (-b - s, -b + s):
//                   if t > 1e-3:
//                       if t < best: best, what = t, (c, r, m)
//                       break
//       if abs(d[1]) > 1e-6:
//           t = (-2 - o[1]) / d[1]
//           if 1e-3 < t < best: best, what = t, None
//       if best > 1e29: return np.array([0.25, 0.5, 1.0]) * (0.5 * (d[1] + 1)), 0
//       p = o + best * d
//       if what is None:
//           checker = (math.floor(p[0]) + math.floor(p[2])) & 1
//           return lambert(np.array([0, 1.0, 0]), np.array([0.9, 0.9, 0.9]) if checker else np.array([0.1, 0.2, 0.3])), 4
//       nrm = (p - np.array(what[0])) / what[1]
//       if nrm @ d > 0: nrm = -nrm
//       if what[2] == 0: return lambert(nrm, np.array([0.8, 0.1, 0.1])), 1
//       if what[2] == 2: return np.abs(nrm), 3
//       if depth == 0: return np.zeros(3), 2
//       return 0.75 * trace(p, d - 2 * (nrm @ d) * nrm, depth - 1)[0], 2
//   light = unit(np.array([1.0, 2.0, -1.0]))
//   def lambert(nrm, color): return color * (0.125 + max(0.0, float(nrm @ light)))
//   rays = [trace(np.zeros(3), unit(np.array([(k % 16 - 7.4) / 10, (k // 16 - 3.3) / 9, 1.0])), 3) for k in range(128)]
// expect: [c for r in rays for c in r[0]], [r[1] for r in rays], [1, 4, 3, 3, 1, 0]
// tolerance: 2e-3
#define EPSILON 1e-3f

// --- vectors: all operators for both rates from one macro --------------------------------------------------

struct vec3f { float x; float y; float z; };
struct vec2f { float x; float y; };

#define __lift_constructors(rate) \
    inline rate vec3f make_vec3f(const rate float x, const rate float y, const rate float z) { \
        rate vec3f r; r.x = x; r.y = y; r.z = z; return r; \
    } \
    inline rate vec3f make_vec3f(const rate float f) { return make_vec3f(f, f, f); } \
    inline rate vec2f make_vec2f(const rate float x, const rate float y) { rate vec2f r = { x, y }; return r; }

__lift_constructors(uniform)
__lift_constructors(varying)

#define __lift_all(rate) \
    inline rate vec3f operator+(const rate vec3f &a, const rate vec3f &b) { return make_vec3f(a.x + b.x, a.y + b.y, a.z + b.z); } \
    inline rate vec3f operator-(const rate vec3f &a, const rate vec3f &b) { return make_vec3f(a.x - b.x, a.y - b.y, a.z - b.z); } \
    inline rate vec3f operator*(const rate vec3f &a, const rate vec3f &b) { return make_vec3f(a.x * b.x, a.y * b.y, a.z * b.z); } \
    inline rate vec3f operator*(const rate vec3f &a, const rate float b) { return make_vec3f(a.x * b, a.y * b, a.z * b); } \
    inline rate vec3f operator*(const rate float a, const rate vec3f &b) { return make_vec3f(a * b.x, a * b.y, a * b.z); } \
    inline rate vec3f operator/(const rate vec3f &a, const rate float b) { return a * (1.f / b); } \
    inline rate vec3f operator-(const rate vec3f &a) { return make_vec3f(-a.x, -a.y, -a.z); } \
    inline rate bool operator==(const rate vec3f &a, const rate vec3f &b) { return a.x == b.x && a.y == b.y && a.z == b.z; } \
    inline rate bool operator!=(const rate vec3f &a, const rate vec3f &b) { return !(a == b); } \
    inline rate float dot(const rate vec3f &a, const rate vec3f &b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    inline rate vec3f cross(const rate vec3f &a, const rate vec3f &b) { \
        return make_vec3f(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); \
    } \
    inline rate float length(const rate vec3f &a) { return sqrt(dot(a, a)); } \
    inline rate vec3f normalize(const rate vec3f &a) { return a * rsqrt(dot(a, a)); } \
    inline rate vec3f abs(const rate vec3f &a) { return make_vec3f(abs(a.x), abs(a.y), abs(a.z)); } \
    inline rate vec3f min(const rate vec3f &a, const rate vec3f &b) { return make_vec3f(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); } \
    inline rate float reduce_max(const rate vec3f &a) { return max(max(a.x, a.y), a.z); } \
    inline rate vec3f &operator+=(rate vec3f &a, const rate vec3f &b) { a = a + b; return a; } \
    inline rate vec3f &operator*=(rate vec3f &a, const rate float b) { a = a * b; return a; }

__lift_all(uniform)
__lift_all(varying)

// mixed: a uniform and a varying operand
inline vec3f operator+(const uniform vec3f &a, const varying vec3f &b) { return ((varying vec3f)a) + b; }
inline vec3f operator-(const varying vec3f &a, const uniform vec3f &b) { return make_vec3f(a.x - b.x, a.y - b.y, a.z - b.z); }

inline vec3f neg_if(const bool c, const vec3f &a) { return c ? -a : a; }

// --- rays and hits ---------------------------------------------------------------------------------------------

struct Ray {
    vec3f org;
    vec3f dir;
    float t0, t;
    int geomID;
    vec3f Ng;
};

struct Material;
struct Geometry;
struct World;

typedef Geometry * uniform GeometryPointer;

struct DifferentialGeometry {
    vec3f P, N;
    Geometry * geometry;
    Material * material;
};

typedef uniform bool (*Geometry_isSolid)(const Geometry * uniform self);
typedef void (*Geometry_intersect)(const uniform Geometry * uniform self, varying Ray &ray);
typedef void (*Geometry_postIntersect)(uniform Geometry * uniform self, const varying Ray &ray, varying DifferentialGeometry &dg);

struct Geometry {
    uniform Geometry_intersect intersect;
    uniform Geometry_postIntersect postIntersect;
    Material * uniform material;
    int32 geomID;
};

struct Sphere { Geometry super; vec3f center; float radius; };
struct Plane { Geometry super; float height; Material * uniform other; };

typedef vec3f (*Material_shade)(const uniform Material * uniform self, const uniform World * uniform world,
                                const varying DifferentialGeometry &dg, const varying Ray &ray, uniform int depth);

struct Material {
    uniform Material_shade shade;
    int32 kind;
};

struct Lambert { Material super; vec3f color; };
struct Mirror { Material super; float reflectance; };
struct Normals { Material super; };

struct World {
    Geometry * uniform * uniform geometries;
    int32 count, room;
    vec3f toLight;
};

struct Counts { int32 created, destroyed, postIntersects; };
static uniform Counts counts;

// --- shapes ---------------------------------------------------------------------------------------------------------

static void Sphere_intersect(const uniform Geometry * uniform _self, varying Ray &ray) {
    const Sphere * uniform self = (const Sphere * uniform)_self;
    const vec3f oc = ray.org - self->center;
    const float b = dot(oc, ray.dir), c = dot(oc, oc) - self->radius * self->radius;
    const float h = b * b - c;
    if (h <= 0.f) return;
    const float s = sqrt(h);
    float t = -b - s;
    if (t <= ray.t0) t = -b + s;
    if (t > ray.t0 && t < ray.t) {
        ray.t = t;
        ray.geomID = self->super.geomID;
        ray.Ng = ray.org + t * ray.dir - self->center;
    }
}

static void Geometry_postIntersect_common(uniform Geometry * uniform self, const varying Ray &ray, varying DifferentialGeometry &dg) {
    counts.postIntersects++;
    dg.P = ray.org + ray.t * ray.dir;
    const vec3f N = normalize(ray.Ng);
    dg.N = neg_if(dot(N, ray.dir) > 0, N);
    dg.geometry = self;
    dg.material = self->material;
}

static void Plane_intersect(const uniform Geometry * uniform _self, varying Ray &ray) {
    const uniform Plane * uniform self = (const uniform Plane * uniform)_self;
    if (abs(ray.dir.y) > 1e-6f) {
        float t = (self->height - ray.org.y) / ray.dir.y;
        if (t > ray.t0 && t < ray.t) {
            ray.t = t;
            ray.geomID = self->super.geomID;
            ray.Ng = make_vec3f(0.f, 1.f, 0.f);
        }
    }
}

static void Plane_postIntersect(uniform Geometry * uniform _self, const varying Ray &ray, varying DifferentialGeometry &dg) {
    Geometry_postIntersect_common(_self, ray, dg);
    uniform Plane * uniform self = (uniform Plane * uniform)_self;
    int checker = ((int)floor(dg.P.x) + (int)floor(dg.P.z)) & 1;
    if (!checker) dg.material = self->other;
}

static void Geometry_construct(uniform Geometry * uniform self, Material * uniform material,
                               uniform Geometry_intersect intersect, uniform Geometry_postIntersect post) {
    self->intersect = intersect;
    self->postIntersect = post;
    self->material = material;
    self->geomID = -1;
    counts.created++;
}

static void * uniform Sphere_create(const uniform vec3f &center, uniform float radius, void * uniform material) {
    Sphere * uniform self = uniform new uniform Sphere;
    Geometry_construct(&self->super, (Material * uniform)material, Sphere_intersect, Geometry_postIntersect_common);
    self->center = center;
    self->radius = radius;
    return self;
}

static Geometry * uniform Plane_create(uniform float height, Material * uniform one, Material * uniform other) {
    Plane * uniform self = uniform new Plane;
    Geometry_construct(&self->super, one, Plane_intersect, Plane_postIntersect);
    self->height = height;
    self->other = other;
    return &self->super;
}

// --- the world ------------------------------------------------------------------------------------------------------

static void World_add(uniform World &world, Geometry * uniform geometry) {
    if (world.count == world.room) {
        uniform int room = world.room == 0 ? 2 : 2 * world.room;
        Geometry * uniform * uniform bigger = uniform new GeometryPointer[room];
        for (uniform int k = 0; k < world.count; ++k) bigger[k] = world.geometries[k];
        if (world.geometries != NULL) delete[] world.geometries;
        world.geometries = bigger;
        world.room = room;
    }
    geometry->geomID = world.count;
    world.geometries[world.count++] = geometry;
}

static vec3f World_trace(const uniform World * uniform world, varying Ray &ray, uniform int depth, varying int * uniform kind = NULL) {
    ray.geomID = -1;
    for (uniform int k = 0; k < world->count; ++k) {
        const Geometry * uniform geometry = world->geometries[k];
        geometry->intersect(geometry, ray);
    }
    if (ray.geomID < 0) {
        if (kind != NULL) *kind = 0;
        return make_vec3f((varying float)0.25f, 0.5f, 1.f) * (0.5f * (ray.dir.y + 1.f));
    }
    DifferentialGeometry dg;
    foreach_unique (id in ray.geomID) {
        uniform Geometry * uniform geometry = world->geometries[id];
        geometry->postIntersect(geometry, ray, dg);
    }
    vec3f color;
    foreach_unique (material in dg.material) {
        color = material->shade(material, world, dg, ray, depth);
        if (kind != NULL) *kind = material->kind;
    }
    return color;
}

// --- materials -----------------------------------------------------------------------------------------------------

static vec3f Lambert_shade(const uniform Material * uniform _self, const uniform World * uniform world,
                           const varying DifferentialGeometry &dg, const varying Ray &ray, uniform int depth) {
    const uniform Lambert * uniform self = (const uniform Lambert * uniform)_self;
    return (varying vec3f)self->color * (0.125f + max(0.f, dot(dg.N, (varying vec3f)world->toLight)));
}

static vec3f Mirror_shade(const uniform Material * uniform _self, const uniform World * uniform world,
                          const varying DifferentialGeometry &dg, const varying Ray &ray, uniform int depth) {
    const uniform Mirror * uniform self = (const uniform Mirror * uniform)_self;
    if (depth == 0) return make_vec3f(0.f);
    Ray reflected;
    reflected.org = dg.P;
    reflected.dir = ray.dir - 2.f * dot(dg.N, ray.dir) * dg.N;
    reflected.t0 = EPSILON;
    reflected.t = 1e30f;
    return self->reflectance * World_trace(world, reflected, depth - 1);
}

static vec3f Normals_shade(const uniform Material * uniform self, const uniform World * uniform world,
                           const varying DifferentialGeometry &dg, const varying Ray &ray, uniform int depth) {
    return abs(dg.N);
}

#define DEFINE_CREATE(Type, number, shader) \
    static uniform Type * uniform Type##_create() { \
        uniform Type * uniform self = uniform new uniform Type; \
        self->super.shade = shader; \
        self->super.kind = number; \
        counts.created++; \
        return self; \
    }

DEFINE_CREATE(Lambert, 1, Lambert_shade)
DEFINE_CREATE(Mirror, 2, Mirror_shade)
DEFINE_CREATE(Normals, 3, Normals_shade)

// --- cameras: a task for each row of the picture -------------------------------------------------------------------

struct Frame { uniform float * uniform pixels; uniform double * uniform kinds; int width, height; };

static inline vec3f Camera_direction(const int x, const int y) {
    vec2f screen = make_vec2f((x - 7.4f) / 10, (y - 3.3f) / 9);
    return normalize(make_vec3f(screen.x, screen.y, 1.f));
}

static task void render_row(const uniform World * uniform world, uniform Frame * uniform frame) {
    const uniform int y = taskIndex;
    foreach (x = 0 ... frame->width) {
        Ray ray;
        ray.org = make_vec3f(0);
        ray.dir = Camera_direction(x, y);
        ray.t0 = EPSILON;
        ray.t = 1e30f;
        int kind = -1;
        vec3f color = World_trace(world, ray, 3, &kind);
        int pixel = y * frame->width + x;
        frame->pixels[3 * pixel] = color.x;
        frame->pixels[3 * pixel + 1] = color.y;
        frame->pixels[3 * pixel + 2] = color.z;
        frame->kinds[pixel] = kind;
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Lambert * uniform red = Lambert_create();
    red->color = make_vec3f(0.8f, 0.1f, 0.1f);
    uniform Lambert * uniform white = Lambert_create(), * uniform blue = Lambert_create();
    white->color = make_vec3f(0.9f);
    blue->color = make_vec3f(0.1f, 0.2f, 0.3f);
    white->super.kind = blue->super.kind = 4;
    uniform Mirror * uniform mirror = Mirror_create();
    mirror->reflectance = 0.75f;
    uniform Normals * uniform normals = Normals_create();

    uniform World world = { NULL, 0, 0, { 0, 0, 0 } };
    world.toLight = normalize(make_vec3f(1.f, 2.f, -1.f));
    World_add(world, (Geometry * uniform)Sphere_create(make_vec3f(-1.5f, 0.f, 6.f), 1.f, red));
    World_add(world, (Geometry * uniform)Sphere_create(make_vec3f(1.5f, 0.25f, 5.f), 0.75f, mirror));
    World_add(world, (Geometry * uniform)Sphere_create(make_vec3f(0.f, -0.5f, 8.f), 2.f, normals));
    World_add(world, Plane_create(-2.f, &white->super, &blue->super));

    uniform float pixels[128 * 3];
    uniform Frame frame = { pixels, out + 384, 16, 8 };
    launch[frame.height] render_row(&world, &frame);
    sync;
    foreach (k = 0 ... 384) out[k] = pixels[k];

    uniform double * uniform o = out + 512;
    o[0] = counts.created == 9;
    o[1] = world.count;
    Geometry * varying some = world.geometries[programIndex % 3];
    uniform int spheres = 0, distinct = 0;
    foreach_unique (g in some) {
        distinct++;
        if (g->intersect == Sphere_intersect) spheres++;
    }
    o[2] = spheres;
    o[3] = distinct;
    uniform vec3f one = make_vec3f(1.f, 2.f, 3.f);
    uniform vec3f two = one;
    two *= 2;
    o[4] = one + one == two && cross(one, two) == make_vec3f(0) && reduce_max(min(one, two)) == 3;
    two += make_vec3f(0, 0, 1);
    o[5] = one * 2.f != two ? 0 : 1;
    for (uniform int k = 0; k < world.count; ++k) delete world.geometries[k];
    delete[] world.geometries;
    delete red; delete white; delete blue; delete mirror; delete normals;
}
