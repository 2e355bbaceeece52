// claim: sphere tracing of a blended surface (Hart 1996) and its openness in random directions, the same as worked out ray by ray
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
//   V = lambda *v: np.array(v, float)
//   bars = [(V(-1.5, -0.5, 0), V(1.25, 1.5, 0.5), 0.25), (V(0.5, -1, -0.75), V(0, 0.75, 0), 0.375)]
//   def gap(p):
//       q = p - V(0.25, 0.125, 0.25)
//       parts = [math.hypot(math.hypot(q[0], q[2]) - 1, q[1]) - 0.25]
//       for start, along, radius in bars:
//           t = min(max((p - start) @ along / (along @ along), 0), 1)
//           parts.append(np.linalg.norm(p - start - t * along) - radius)
//       return min(p[1] + 1.25, -math.log(sum(math.exp(-8 * d) for d in parts)) / 8)
//   def march(start, along, reach):
//       t = 0.0
//       for steps in range(40):
//           p = start + t * along
//           g = gap(p)
//           if g < 0.004: return True, t, p
//           t += g
//           if t > reach: return False, reach, p
//       return False, t, p
//   def pixel(x, y):
//       d = V((x - 3.5) / 8, (1.5 - y) / 4 - 0.4375, 1); d /= np.linalg.norm(d)
//       met, t, p = march(V(0, 1, -4), d, 12.0)
//       if not met: return t, -1.0
//       n = V(*(gap(p + V(*e)) - gap(p - V(*e)) for e in np.eye(3) / 256)); n /= np.linalg.norm(n)
//       v = n + V(0, 0, 1 if n[2] >= 0 else -1); v /= np.linalg.norm(v)
//       across, up = V(1, 0, 0) - 2 * v[0] * v, V(0, 1, 0) - 2 * v[1] * v
//       rng, free = Rng(x * 31 + y * 7 + 3), 0.0
//       for k in range(3):
//           turn = 2 * math.pi * rng.real(); sine2 = rng.real()
//           side = math.sqrt(sine2) * (math.cos(turn) * across + math.sin(turn) * up)
//           free += march(p + 0.03125 * n, side + math.sqrt(1 - sine2) * n, 2.0)[1]
//       return t, free / 6
//   pixels = [pixel(x, y) for y in range(4) for x in range(8)]
// expect: [p[0] for p in pixels], [p[1] for p in pixels]
// tolerance: 4e-3
#define DIRECTIONS 3
#define FULL_TURN 6.2831853f

typedef float<3> vec;

struct Ring {
    vec middle;
    float radius, thickness;
};
struct Bar {
    vec start, along;
    float thickness;
};
struct Scene {
    Ring ring;
    Bar bars[2];
    float ground, sharpness;
};
struct Ray {
    vec start, along;
};
struct Hit {
    float travelled;
    vec place;
    uniform int longest;
    bool met;
};

static inline float inner(const vec a, const vec b) {
    vec products = a * b;
    return products.x + products.y + products.z;
}

static inline void to_length_one(vec &v) {
    v *= rsqrt(inner(v, v));
}

static inline float to_ring(const uniform Ring &ring, const vec p) {
    vec q = p - ring.middle;
    float outwards = sqrt(q.x * q.x + q.z * q.z) - ring.radius;
    return sqrt(outwards * outwards + q.y * q.y) - ring.thickness;
}

static inline float to_bar(const uniform Bar &bar, vec p) {
    p = p - bar.start;
    vec along = bar.along;
    float nearest = clamp(inner(p, along) / inner(along, along), 0.0f, 1.0f);
    p -= nearest * along;
    return sqrt(inner(p, p)) - bar.thickness;
}

// The least of the distances, rounded off where two are nearly the same: never more than the true one.
static float gap(const uniform Scene &scene, const vec p) {
    float sum = exp(-scene.sharpness * to_ring(scene.ring, p));
    for (uniform int k = 0; k < 2; ++k)
        sum += exp(-scene.sharpness * to_bar(scene.bars[k], p));
    return min(p.y - scene.ground, -log(sum) / scene.sharpness);
}

static void march(Hit &hit, const Ray &ray, const uniform Scene &scene, uniform float reach) {
    hit.travelled = 0.0;
    hit.met = false;
    for (uniform int step = 0; step < 40; ++step) {
        hit.longest = max(hit.longest, step);
        hit.place = ray.start + ray.along * hit.travelled;
        float free = gap(scene, hit.place);
        cif (free < 4.0e-3) {
            hit.met = true;
            return;
        } else {
            hit.travelled += free;
            cif (hit.travelled > reach) {
                hit.travelled = reach;
                break;
            }
        }
    }
}

// The steepest way up, by differences, and two directions at right angles to it: what a reflection (Householder 1958)
// that swaps it with an axis makes of the other axes.
static void frame_of(vec frame[3], const uniform Scene &scene, const vec p) {
    vec normal, mirror;
    for (uniform int axis = 0; axis < 3; axis++) {
        vec step = 0.0f;
        step[axis] = 1.0f / 256;
        normal[axis] = gap(scene, p + step) - gap(scene, p - step);
    }
    to_length_one(normal);
    mirror = normal;
    if (normal.z >= 0) mirror.z += 1.0;
    else mirror.z -= 1.0;
    to_length_one(mirror);
    for (uniform int axis = 0; axis < 2; axis++) {
        frame[axis] = -2 * mirror[axis] * mirror;
        frame[axis][axis] += 1;
    }
    frame[2] = normal;
}

static float openness(Hit &hit, const uniform Scene &scene, RNGState &random) {
    vec frame[3];
    frame_of(frame, scene, hit.place);
    float sum = 0.0;
    for (uniform int k = 0; k < DIRECTIONS; k++) {
        float turn = FULL_TURN * frandom(&random);
        float sine2 = frandom(&random);
        Ray ray = { hit.place + 0.03125f * frame[2], 0.0f };
        ray.along = frame[0] * cos(turn);
        ray.along += frame[1] * sin(turn);
        ray.along = sqrt(sine2) * ray.along + sqrt(1.0 - sine2) * frame[2];
        Hit other;
        other.longest = 0;
        march(other, ray, scene, 2.0f);
        sum += other.travelled;
    }
    return sum / (2 * DIRECTIONS);
}

static void rows(uniform int first, uniform int last, uniform int width, uniform int height, uniform double depths[],
                 uniform double open[]) {
    static uniform Scene scene = {
        { { 0.25f, 0.125f, 0.25f }, 1.0f, 0.25f },
        { { { -1.5f, -0.5f, 0.0f }, { 1.25f, 1.5f, 0.5f }, 0.25f }, { { 0.5f, -1.0f, -0.75f }, { 0.0f, 0.75f, 0.0f }, 0.375f } },
        -1.25f, 8.f
    };
    foreach_tiled (y = first ... last, x = 0 ... width) {
        RNGState random;
        seed_rng(&random, x * 31 + y * 7 + 3);
        Ray ray;
        ray.start = 0.f;
        ray.start.y = 1.0f;
        ray.start.z = -4.0f;
        ray.along.x = (x - (width - 1) / 2.0f) / 8;
        ray.along.y = ((height - 1) / 2.0f - y) / 4 - 0.4375;
        ray.along.z = 1;
        to_length_one(ray.along);
        Hit hit;
        hit.longest = 0;
        march(hit, ray, scene, 12.0f);
        float free = -1.f;
        cif (hit.met) {
            free = openness(hit, scene, random);
        }
        depths[y * width + x] = hit.travelled;
        open[y * width + x] = free;
    }
}

static void task pair_of_rows(uniform int width, uniform int height, uniform double out[]) {
    rows(2 * taskIndex, 2 * taskIndex + 2, width, height, out, out + width * height);
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    launch[2] pair_of_rows(8, 4, out);
}
