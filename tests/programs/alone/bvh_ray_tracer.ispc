// claim: rays find through a bounding volume hierarchy, with a stack for each lane or for the packet, what brute force finds
// expect: [1] * 64, [1] * 64, [1] * 64, [1]
typedef float<3> float3;

struct Ray {
    float3 origin, direction, inverse;
    uniform unsigned int raySet;
    float mint, maxt;
    int hitId;
    uniform bool dirIsNeg[3];
};

struct Triangle {
    float p[3][4];
    int id;
    int pad[3];
};

struct LinearNode {
    float bounds[2][3];
    unsigned int offset;
    uint8 nPrimitives;
    uint8 splitAxis;
    uint16 pad;
};

struct Counters {
    uniform int visited;
    uniform int tested;
};

#define TRIANGLES 48
#define NODES (2 * TRIANGLES)
static uniform Triangle tris[TRIANGLES];
static uniform LinearNode nodes[NODES];
static uniform int nodeCount;

static inline float3 Cross(const float3 v1, const float3 v2) {
    float v1x = v1.x, v1y = v1.y, v1z = v1.z;
    float v2x = v2.x, v2y = v2.y, v2z = v2.z;
    float3 ret;
    ret.x = (v1y * v2z) - (v1z * v2y);
    ret.y = (v1z * v2x) - (v1x * v2z);
    ret.z = (v1x * v2y) - (v1y * v2x);
    return ret;
}

static inline float Dot(const float3 a, const float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static uniform unsigned int state = 12345;
static uniform float nextRandom() {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * (1.0f / 16777216.0f);
}

static void makeTriangles() {
    for (uniform int k = 0; k < TRIANGLES; ++k) {
        uniform float center[3];
        for (uniform int a = 0; a < 3; ++a) center[a] = 10 * nextRandom() - 5;
        for (uniform int v = 0; v < 3; ++v)
            for (uniform int a = 0; a < 3; ++a)
                tris[k].p[v][a] = center[a] + 3 * nextRandom() - 1.5f;
        tris[k].id = k;
    }
}

static void boundsOf(uniform int from, uniform int to, uniform float b[2][3]) {
    for (uniform int a = 0; a < 3; ++a) { b[0][a] = FLT_MAX; b[1][a] = -FLT_MAX; }
    for (uniform int k = from; k < to; ++k)
        for (uniform int v = 0; v < 3; ++v)
            for (uniform int a = 0; a < 3; ++a) {
                b[0][a] = min(b[0][a], tris[k].p[v][a]);
                b[1][a] = max(b[1][a], tris[k].p[v][a]);
            }
}

static uniform int build(uniform int from, uniform int to) {
    uniform int here = nodeCount++;
    uniform LinearNode &node = nodes[here];
    boundsOf(from, to, node.bounds);
    if (to - from <= 2) {
        node.nPrimitives = to - from;
        node.offset = from;
        node.splitAxis = 0;
        return here;
    }
    uniform int axis = 0;
    for (uniform int a = 1; a < 3; ++a)
        if (node.bounds[1][a] - node.bounds[0][a] > node.bounds[1][axis] - node.bounds[0][axis]) axis = a;
    // insertion sort by the first vertex
    for (uniform int k = from + 1; k < to; ++k) {
        uniform Triangle t = tris[k];
        uniform int j = k - 1;
        while (j >= from && tris[j].p[0][axis] > t.p[0][axis]) { tris[j + 1] = tris[j]; --j; }
        tris[j + 1] = t;
    }
    uniform int middle = (from + to) / 2;
    nodes[here].nPrimitives = 0;
    nodes[here].splitAxis = axis;
    build(from, middle);
    nodes[here].offset = build(middle, to);
    return here;
}

static inline void setup(Ray &ray, float x, float y) {
    ray.origin.x = x; ray.origin.y = y; ray.origin.z = -20;
    float3 d = { 0.01f * x, -0.02f * y, 1 };
    ray.direction = d;
    float3 inverse = 1.0f / d;
    ray.inverse = inverse;
    ray.mint = 0;
    ray.maxt = 1e30;
    ray.hitId = -1;
    ray.dirIsNeg[0] = any(inverse.x < 0) ? 1 : 0;
    ray.dirIsNeg[1] = any(inverse.y < 0) ? 1 : 0;
    ray.dirIsNeg[2] = any(inverse.z < 0) ? 1 : 0;
}

static bool BBoxIntersect(const uniform float bounds[2][3], const Ray &ray) {
    uniform float3 bounds0 = { bounds[0][0], bounds[0][1], bounds[0][2] };
    uniform float3 bounds1 = { bounds[1][0], bounds[1][1], bounds[1][2] };
    float t0 = ray.mint, t1 = ray.maxt;
    float3 tNear = (bounds0 - ray.origin) * ray.inverse;
    float3 tFar = (bounds1 - ray.origin) * ray.inverse;
    for (uniform int a = 0; a < 3; ++a) {
        float near = tNear[a], far = tFar[a];
        if (near > far) { float tmp = near; near = far; far = tmp; }
        t0 = max(near, t0);
        t1 = min(far, t1);
    }
    return t0 <= t1;
}

static bool TriIntersect(const uniform Triangle &tri, Ray &ray) {
    uniform float3 p0 = { tri.p[0][0], tri.p[0][1], tri.p[0][2] };
    uniform float3 p1 = { tri.p[1][0], tri.p[1][1], tri.p[1][2] };
    uniform float3 p2 = { tri.p[2][0], tri.p[2][1], tri.p[2][2] };
    uniform float3 e1 = p1 - p0;
    uniform float3 e2 = p2 - p0;
    float3 s1 = Cross(ray.direction, e2);
    float divisor = Dot(s1, e1);
    bool hit = true;
    if (divisor == 0.) hit = false;
    float invDivisor = 1.f / divisor;
    float3 d = ray.origin - p0;
    float b1 = Dot(d, s1) * invDivisor;
    if (b1 < 0. || b1 > 1.) hit = false;
    float3 s2 = Cross(d, e1);
    float b2 = Dot(ray.direction, s2) * invDivisor;
    if (b2 < 0. || b1 + b2 > 1.) hit = false;
    float t = Dot(e2, s2) * invDivisor;
    if (t < ray.mint || t > ray.maxt) hit = false;
    if (hit) {
        ray.maxt = t;
        ray.hitId = tri.id;
    }
    return hit;
}

static bool packetTraverse(Ray &r, uniform Counters &counters) {
    Ray ray = r;
    bool hit = false;
    uniform int todoOffset = 0, nodeNum = 0;
    uniform int todo[64];
    while (true) {
        uniform LinearNode node = nodes[nodeNum];
        counters.visited++;
        if (any(BBoxIntersect(node.bounds, ray))) {
            uniform unsigned int nPrimitives = node.nPrimitives;
            if (nPrimitives > 0) {
                uniform unsigned int primitivesOffset = node.offset;
                for (uniform unsigned int i = 0; i < nPrimitives; ++i) {
                    counters.tested++;
                    if (TriIntersect(tris[primitivesOffset + i], ray))
                        hit = true;
                }
                if (todoOffset == 0) break;
                nodeNum = todo[--todoOffset];
            } else {
                if (r.dirIsNeg[node.splitAxis]) {
                    todo[todoOffset++] = nodeNum + 1;
                    nodeNum = node.offset;
                } else {
                    todo[todoOffset++] = node.offset;
                    nodeNum = nodeNum + 1;
                }
            }
        } else {
            if (todoOffset == 0) break;
            nodeNum = todo[--todoOffset];
        }
    }
    r.maxt = ray.maxt;
    r.hitId = ray.hitId;
    return hit;
}

// Each lane walks the tree by itself: gathers of nodes and triangles, a stack of varying ints.
static bool laneTraverse(Ray &ray) {
    int stack[16];
    int depth = 0, current = 0;
    bool hit = false;
    cdo {
        uniform LinearNode * varying node = nodes + current;
        float t0 = ray.mint, t1 = ray.maxt;
        for (uniform int a = 0; a < 3; ++a) {
            float n = (node->bounds[0][a] - ray.origin[a]) * ray.inverse[a];
            float f = (node->bounds[1][a] - ray.origin[a]) * ray.inverse[a];
            t0 = max(t0, min(n, f));
            t1 = min(t1, max(n, f));
        }
        bool pop = true;
        if (t0 <= t1) {
            if (node->nPrimitives > 0) {
                for (int k = 0; k < node->nPrimitives; ++k) {
                    Triangle tri = tris[node->offset + k];
                    float3 p0 = { tri.p[0][0], tri.p[0][1], tri.p[0][2] };
                    float3 e1 = { tri.p[1][0] - p0.x, tri.p[1][1] - p0.y, tri.p[1][2] - p0.z };
                    float3 e2 = { tri.p[2][0] - p0.x, tri.p[2][1] - p0.y, tri.p[2][2] - p0.z };
                    float3 s1 = Cross(ray.direction, e2);
                    float divisor = Dot(s1, e1);
                    if (divisor == 0) continue;
                    float3 d = ray.origin - p0;
                    float b1 = Dot(d, s1) / divisor;
                    if (b1 < 0 || b1 > 1) continue;
                    float3 s2 = Cross(d, e1);
                    float b2 = Dot(ray.direction, s2) / divisor;
                    if (b2 < 0 || b1 + b2 > 1) continue;
                    float t = Dot(e2, s2) / divisor;
                    if (t < ray.mint || t > ray.maxt) continue;
                    ray.maxt = t;
                    ray.hitId = tri.id;
                    hit = true;
                }
            } else {
                stack[depth++] = node->offset;
                current = current + 1;
                pop = false;
            }
        }
        if (pop) {
            if (depth == 0) break;
            current = stack[--depth];
        }
    } while (true);
    return hit;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    makeTriangles();
    build(0, TRIANGLES);
    uniform Counters counters = { 0, 0 };
    uniform int hits = 0;
    for (uniform int base = 0; base < n; base += programCount) {
        int k = base + programIndex;
        float x = (k % 8) - 3.5f, y = (k / 8) - 3.5f;
        Ray packet, alone, brute;
        setup(packet, x, y);
        alone = packet;
        brute = packet;
        bool hit = packetTraverse(packet, counters);
        bool hit2 = laneTraverse(alone);
        bool hit3 = false;
        for (uniform int t = 0; t < TRIANGLES; ++t)
            if (TriIntersect(tris[t], brute)) hit3 = true;
        out[k] = hit == hit3 && packet.hitId == brute.hitId;
        out[64 + k] = hit2 == hit3 && alone.hitId == brute.hitId;
        out[128 + k] = abs(alone.maxt - brute.maxt) <= 1e-4 * abs(brute.maxt);
        hits += popcnt(hit);
    }
    out[192] = hits > 10 && hits < 60 && counters.visited > 0 && counters.tested < TRIANGLES * 64;
}
