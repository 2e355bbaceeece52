// Three kinds of shapes: spheres of one radius or many, indexed triangles, boxes in blocks of four.
#include "geometry.ih"

#define CAST(Type, pointer) ((const Type *uniform)(pointer))
#define EACH_AXIS(what) what(x) what(y) what(z)

static void init(Geometry *uniform self, uniform ShapeKind kind, uniform int id, uniform int count) {
    self->kind = kind;
    self->id = id;
    self->count = count;
    self->material = NULL;
}

static inline void hit(varying Ray &ray, float t, const Geometry *uniform self, uniform int primitive, float u, float v) {
    if (t > ray.near && t < ray.far) {
        ray.far = t;
        ray.geometry = self->id;
        ray.primitive = primitive;
        ray.u = u;
        ray.v = v;
    }
}

static inline uniform float radius_of(const Spheres *uniform self, uniform int primitive) {
    return self->radii ? self->radii[primitive] : self->common_radius;
}

static void Spheres_intersect(const Geometry *uniform base, uniform int primitive, varying Ray &ray) {
    const Spheres *uniform self = CAST(Spheres, base);
    const uniform float r = radius_of(self, primitive);
    const vec3f o = ray.org - to_vec3(self->centers[primitive]);
    const float a = dot(ray.dir, ray.dir), b = dot(o, ray.dir), c = dot(o, o) - r * r;
    const float d = b * b - a * c;
    if (d < 0)
        return;
    const float root = sqrt(d);
    float t = (-b - root) / a;
    if (t <= ray.near)
        t = (-b + root) / a;
    hit(ray, t, base, primitive, 0, 0);
}

static void Spheres_bounds(const Geometry *uniform base, uniform int primitive, uniform box3f &bounds) {
    const Spheres *uniform self = CAST(Spheres, base);
    const uniform vec3f c = to_vec3(self->centers[primitive]), r = make_vec3_1(radius_of(self, primitive));
    bounds.lower = c - r;
    bounds.upper = c + r;
}

// Rays hit different spheres: a gather of the center.
static void Spheres_surface(const Geometry *uniform base, varying Ray &ray) {
    const Spheres *uniform self = CAST(Spheres, base);
    const Float3 c = self->centers[ray.primitive];
    const vec3f p = ray.org + ray.dir * ray.far;
    ray.normal = normalized(vec3(p.x - c.x, p.y - c.y, p.z - c.z));
    ray.u = 0.5f + 0.5f * ray.normal.x;
    ray.v = 0.5f + 0.5f * ray.normal.y;
}

static void Triangles_intersect(const Geometry *uniform base, uniform int primitive, varying Ray &ray) {
    const Triangles *uniform self = CAST(Triangles, base);
    uniform vec3f corner[3];
    for (uniform int k = 0; k < 3; k++)
        corner[k] = to_vec3(self->positions[self->corners[primitive][k]]);
    const uniform vec3f e1 = corner[1] - corner[0], e2 = corner[2] - corner[0];
    const vec3f q1 = vec3((float)e1.x, (float)e1.y, (float)e1.z), q2 = vec3((float)e2.x, (float)e2.y, (float)e2.z);
    const vec3f p = cross(ray.dir, q2);
    const float det = dot(q1, p);
    cif (abs(det) < 1e-7f)
        return;
    const float inverse = 1 / det;
    const vec3f s = ray.org - corner[0];
    const float u = dot(s, p) * inverse;
    const vec3f q = cross(s, q1);
    const float v = dot(ray.dir, q) * inverse;
    cif (u >= 0 && v >= 0 && u + v <= 1)
        hit(ray, dot(q2, q) * inverse, base, primitive, u, v);
}

static void Triangles_bounds(const Geometry *uniform base, uniform int primitive, uniform box3f &bounds) {
    const Triangles *uniform self = CAST(Triangles, base);
    bounds = empty_box();
    for (uniform int k = 0; k < 3; k++) {
        const uniform vec3f p = to_vec3(self->positions[self->corners[primitive][k]]);
        const uniform box3f point = {p, p};
        bounds = bounds | point;
    }
}

static void Triangles_surface(const Geometry *uniform base, varying Ray &ray) {
    const Triangles *uniform self = (const Triangles *uniform)base;
    vec3f corner[3];
#pragma unroll
    for (uniform int k = 0; k < 3; k++) {
        const uniform Float3 *p = self->positions + self->corners[ray.primitive][k];
        corner[k] = vec3(p->x, p->y, p->z);
    }
    ray.normal = normalized(cross(corner[1] - corner[0], corner[2] - corner[0]));
    if (dot(ray.normal, ray.dir) > 0)
        ray.normal = -ray.normal;
}

static void Boxes_intersect(const Geometry *uniform base, uniform int primitive, varying Ray &ray) {
    const Boxes *uniform self = CAST(Boxes, base);
    float enter = -1e30f, leave = 1e30f;
    int axis = 0, number = 0;
#define SLAB(x)                                                        \
    {                                                                  \
        const float inverse = 1 / ray.dir.x;                           \
        float a = (self->lower[primitive].x - ray.org.x) * inverse;    \
        float b = (self->upper[primitive].x - ray.org.x) * inverse;    \
        if (a > b) {                                                   \
            float swap = a;                                            \
            a = b, b = swap;                                           \
        }                                                              \
        if (a > enter)                                                 \
            enter = a, axis = number;                                  \
        leave = b < leave ? b : leave;                                 \
        ++number;                                                      \
    }
    EACH_AXIS(SLAB)
#undef SLAB
    if (enter <= leave && enter > ray.near)
        hit(ray, enter, base, primitive, axis, enter);
}

static void Boxes_bounds(const Geometry *uniform base, uniform int primitive, uniform box3f &bounds) {
    const Boxes *uniform self = CAST(Boxes, base);
    bounds.lower = vec3(self->lower[primitive].x, self->lower[primitive].y, self->lower[primitive].z);
    bounds.upper = vec3(self->upper[primitive].x, self->upper[primitive].y, self->upper[primitive].z);
}

static void Boxes_surface(const Geometry *uniform base, varying Ray &ray) {
    const vec3f p = ray.org + ray.dir * ray.v;
    const int axis = (int)ray.u;
    ray.normal = vec3(0.0f, 0.0f, 0.0f);
    switch (axis) {
    case 0:
        ray.normal.x = ray.dir.x > 0 ? -1 : 1;
        ray.u = p.y;
        ray.v = p.z;
        break;
    case 1:
        ray.normal.y = ray.dir.y > 0 ? -1 : 1;
        ray.u = p.x;
        ray.v = p.z;
        break;
    default:
        ray.normal.z = ray.dir.z > 0 ? -1 : 1;
        ray.u = p.x;
        ray.v = p.y;
    }
}

#define CONSTRUCTOR(Kind, kind)                                  \
    Kind *uniform self = uniform new uniform Kind;               \
    init(&self->super, kind, id, count);                         \
    self->super.intersect = Kind##_intersect;                    \
    self->super.bounds = Kind##_bounds;                          \
    self->super.surface = &Kind##_surface;

export void *uniform Spheres_new(uniform int id, uniform int count, const uniform Float3 centers[], const uniform float radii[],
                                 uniform float common_radius) {
    CONSTRUCTOR(Spheres, SHAPE_SPHERES)
    self->centers = centers;
    self->radii = radii;
    self->common_radius = common_radius;
    return self;
}

export void *uniform Triangles_new(uniform int id, uniform int count, const uniform Float3 positions[],
                                   const uniform uint16 corners[][3]) {
    CONSTRUCTOR(Triangles, SHAPE_TRIANGLES)
    self->positions = positions;
    self->corners = corners;
    return self;
}

export void *uniform Boxes_new(uniform int id, uniform int count, const uniform Float3 lower[], const uniform Float3 upper[]) {
    CONSTRUCTOR(Boxes, SHAPE_BOXES)
    self->lower = uniform new soa<4> Float3[(count + 3) / 4];
    self->upper = uniform new soa<4> Float3[(count + 3) / 4];
    foreach (i = 0 ... count) {
        self->lower[i] = lower[i];
#define COPY(x) self->upper[i].x = upper[i].x;
        EACH_AXIS(COPY)
#undef COPY
    }
    return self;
}

export void Geometry_set_material(void *uniform self, void *uniform material) {
    ((Geometry *uniform)self)->material = (Material *uniform)material;
}

export void Geometry_delete(void *uniform _self) {
    Geometry *uniform self = (Geometry *uniform)_self;
    if (self->kind == SHAPE_BOXES) {
        Boxes *uniform boxes = (Boxes *uniform)self;
        delete boxes->lower;
        delete[] boxes->upper;
    }
    delete self;
}
