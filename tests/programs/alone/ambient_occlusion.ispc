// claim: ambient occlusion with random directions per lane, structs by reference, image the same as one worked out ray by ray
// where:
//   M = 0xffffffff
//   class Rng:
//       def __init__(self, s):
//           self.z = [s, s ^ 0xBEEFF00D, ((s << 16) | (s >> 16)) & M, int.from_bytes(s.to_bytes(4, "little"), "big")]
//       def next(self):
//           rows = ((6, 13, 0xFFFFFFFE, 18), (2, 27, 0xFFFFFFF8, 2), (13, 21, 0xFFFFFFF0, 7), (3, 12, 0xFFFFFF80, 13))
//           for j, (q, r, m, t) in enumerate(rows):
//               z = self.z[j]
//               b = ((((z << q) & M) ^ z) >> r)
//               self.z[j] = (((z & m) << t) & M) ^ b
//           return self.z[0] ^ self.z[1] ^ self.z[2] ^ self.z[3]
//       def real(self): return (self.next() & 0x7fffff) / 2 ** 23
//   spheres = [(-2, 0, -3.5, 0.5), (-0.5, 0, -3, 0.5), (1, 0, -2.2, 0.5)]
//   def sphere(o, d, s, best):
//       rs = [o[k] - s[k] for k in range(3)]
//       b = sum(p * q for p, q in zip(rs, d)); c = sum(p * p for p in rs) - s[3] ** 2
//       disc = b * b - c
//       if disc > 0:
//           t = -b - math.sqrt(disc)
//           if 0 < t < best[0]:
//               p = [o[k] + t * d[k] for k in range(3)]
//               nn = [p[k] - s[k] for k in range(3)]; l = math.sqrt(sum(v * v for v in nn))
//               return (t, p, [v / l for v in nn])
//       return best
//   def plane(o, d, best):
//       if abs(d[1]) > 1e-17:
//           t = -(o[1] + 0.5) / d[1]
//           if 0 < t < best[0]: return (t, [o[k] + t * d[k] for k in range(3)], [0, 1, 0])
//       return best
//   def hit(o, d):
//       best = (1e17, None, None)
//       for s in spheres: best = sphere(o, d, s, best)
//       return plane(o, d, best)
//   def pixel(x, y):
//       px, py = (x - 4) / 4, -(y - 4) / 4
//       l = math.sqrt(px * px + py * py + 1); d = [px / l, py / l, -1 / l]
//       best = hit([0, 0, 0], d)
//       if best[1] is None: return 0
//       rng, count = Rng(x + 8 * y + 1), 0
//       nn = best[2]
//       axis = [0, 0, 0]
//       axis[0 if abs(nn[0]) < 0.6 else 1 if abs(nn[1]) < 0.6 else 2] = 1
//       cross = lambda a, b: [a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2], a[0]*b[1]-a[1]*b[0]]
//       norm = lambda a: [v / math.sqrt(sum(w * w for w in a)) for v in a]
//       b0 = norm(cross(axis, nn)); b1 = norm(cross(nn, b0))
//       start = [best[1][k] + 1e-3 * nn[k] for k in range(3)]
//       for k in range(8):
//           theta = math.sqrt(rng.real()); phi = 2 * math.pi * rng.real()
//           lx, ly = math.cos(phi) * theta, math.sin(phi) * theta
//           lz = math.sqrt(1 - theta * theta)
//           d = [lx * b0[j] + ly * b1[j] + lz * nn[j] for j in range(3)]
//           count += hit(start, d)[1] is not None
//       return 8 - count
// expect: [pixel(x, y) for y in range(8) for x in range(8)]
#define NAO_SAMPLES 8
#define M_PI 3.1415926535f

typedef float<3> vec;

struct Isect {
    float t;
    vec p;
    vec n;
    int hit;
};
struct Sphere {
    vec center;
    float radius;
};
struct Plane {
    vec p;
    vec n;
};
struct Ray {
    vec org;
    vec dir;
};

static inline float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline vec vcross(vec v0, vec v1) {
    vec ret;
    ret.x = v0.y * v1.z - v0.z * v1.y;
    ret.y = v0.z * v1.x - v0.x * v1.z;
    ret.z = v0.x * v1.y - v0.y * v1.x;
    return ret;
}

static inline void vnormalize(vec &v) {
    float len2 = dot(v, v);
    float invlen = rsqrt(len2);
    v *= invlen;
}

static void ray_plane_intersect(Isect &isect, const Ray &ray, const uniform Plane &plane) {
    float d = -dot(plane.p, plane.n);
    float v = dot(ray.dir, plane.n);
    cif (abs(v) < 1.0e-17)
        return;
    else {
        float t = -(dot(ray.org, plane.n) + d) / v;
        cif ((t > 0.0) && (t < isect.t)) {
            isect.t = t;
            isect.hit = 1;
            isect.p = ray.org + ray.dir * t;
            isect.n = plane.n;
        }
    }
}

static inline void ray_sphere_intersect(Isect &isect, const Ray &ray, const uniform Sphere &sphere) {
    vec rs = ray.org - sphere.center;
    float B = dot(rs, ray.dir);
    float C = dot(rs, rs) - sphere.radius * sphere.radius;
    float D = B * B - C;
    cif (D > 0.) {
        float t = -B - sqrt(D);
        cif ((t > 0.0) && (t < isect.t)) {
            isect.t = t;
            isect.hit = 1;
            isect.p = ray.org + t * ray.dir;
            isect.n = isect.p - sphere.center;
            vnormalize(isect.n);
        }
    }
}

static void orthoBasis(vec basis[3], vec n) {
    basis[2] = n;
    basis[1].x = 0.0;
    basis[1].y = 0.0;
    basis[1].z = 0.0;
    if ((n.x < 0.6) && (n.x > -0.6)) {
        basis[1].x = 1.0;
    } else if ((n.y < 0.6) && (n.y > -0.6)) {
        basis[1].y = 1.0;
    } else {
        basis[1].z = 1.0;
    }
    basis[0] = vcross(basis[1], basis[2]);
    vnormalize(basis[0]);
    basis[1] = vcross(basis[2], basis[0]);
    vnormalize(basis[1]);
}

static float ambient_occlusion(Isect &isect, uniform Plane &plane, uniform Sphere spheres[3], RNGState &rngstate) {
    float eps = 0.001f;
    vec p = isect.p + eps * isect.n;
    vec basis[3];
    orthoBasis(basis, isect.n);
    float occlusion = 0.0;
    for (uniform int k = 0; k < NAO_SAMPLES; k++) {
        Ray ray;
        float theta = sqrt(frandom(&rngstate));
        float phi = 2.0f * M_PI * frandom(&rngstate);
        float x = cos(phi) * theta;
        float y = sin(phi) * theta;
        float z = sqrt(1.0 - theta * theta);
        float rx = x * basis[0].x + y * basis[1].x + z * basis[2].x;
        float ry = x * basis[0].y + y * basis[1].y + z * basis[2].y;
        float rz = x * basis[0].z + y * basis[1].z + z * basis[2].z;
        ray.org = p;
        ray.dir.x = rx;
        ray.dir.y = ry;
        ray.dir.z = rz;
        Isect occIsect;
        occIsect.t = 1.0e+17;
        occIsect.hit = 0;
        for (uniform int snum = 0; snum < 3; ++snum)
            ray_sphere_intersect(occIsect, ray, spheres[snum]);
        ray_plane_intersect(occIsect, ray, plane);
        if (occIsect.hit) occlusion += 1.0;
    }
    return NAO_SAMPLES - occlusion;
}

static void ao_scanlines(uniform int y0, uniform int y1, uniform int w, uniform int h, uniform double image[]) {
    static uniform Plane plane = { { 0.0f, -0.5f, 0.0f }, { 0.f, 1.f, 0.f } };
    static uniform Sphere spheres[3] = {
        { { -2.0f, 0.0f, -3.5f }, 0.5f }, { { -0.5f, 0.0f, -3.0f }, 0.5f }, { { 1.0f, 0.0f, -2.2f }, 0.5f }
    };
    foreach_tiled (y = y0 ... y1, x = 0 ... w) {
        RNGState rngstate;
        seed_rng(&rngstate, x + w * y + 1);
        float px = (x - (w / 2.0f)) / (w / 2.0f);
        float py = -(y - (h / 2.0f)) / (h / 2.0f);
        float ret = 0.f;
        Ray ray;
        Isect isect;
        ray.org = 0.f;
        ray.dir.x = px;
        ray.dir.y = py;
        ray.dir.z = -1.0f;
        vnormalize(ray.dir);
        isect.t = 1.0e+17;
        isect.hit = 0;
        for (uniform int snum = 0; snum < 3; ++snum)
            ray_sphere_intersect(isect, ray, spheres[snum]);
        ray_plane_intersect(isect, ray, plane);
        cif (isect.hit) {
            ret = ambient_occlusion(isect, plane, spheres, rngstate);
        }
        image[y * w + x] = ret;
    }
}

static void task ao_task(uniform int width, uniform int height, uniform double image[]) {
    ao_scanlines(taskIndex, taskIndex + 1, width, height, image);
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    launch[8] ao_task(8, 8, out);
}
