// call: nearest: Z(150), F(150*3), F(90*3), 150, 90
// call: rays: Z(120), Z(120,np.float32), F(120*6,-1,1), F(40*9,-1,1), 120, 40
// call: polygons: Z(100), Z(100,np.float32), F(100*12,-10,10), 100
// call: raster: Z(64*48,np.uint32), Z(64*48,np.float32), F(20*9,0,60), 20, 64, 48
// call: kdwalk: Z(100), F(127*2), F(100*2), 100
// call: convex: Z(40), I(40*16*2,-50,50), 40
// call: morton: Z(300,np.uint64), Z(300*3), I(300*3,0,2**20), 300
struct V { float x, y, z; };
inline V operator-(const V &a, const V &b) { V r; r.x = a.x - b.x; r.y = a.y - b.y; r.z = a.z - b.z; return r; }
inline V operator+(const V &a, const V &b) { V r; r.x = a.x + b.x; r.y = a.y + b.y; r.z = a.z + b.z; return r; }
inline float operator*(const V &a, const V &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V operator/(const V &a, float s) { V r; r.x = a.x / s; r.y = a.y / s; r.z = a.z / s; return r; }
static inline V at(uniform float p[], int k) { V r; r.x = p[k * 3]; r.y = p[k * 3 + 1]; r.z = p[k * 3 + 2]; return r; }
static inline V cross(const V &a, const V &b) { V r; r.x = a.y * b.z - a.z * b.y; r.y = a.z * b.x - a.x * b.z; r.z = a.x * b.y - a.y * b.x; return r; }
export void nearest(uniform int out[], uniform float points[], uniform float sites[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        V p = at(points, i);
        float best[3] = { 1.0e9f, 1.0e9f, 1.0e9f };
        int who[3] = { -1, -1, -1 };
        for (uniform int s = 0; s < m; s++) {
            V d = at(sites, s) - p;
            float distance = d * d;
            int where = 3;
            while (where > 0 && distance < best[where - 1]) where--;
            for (int k = 2; k > where; k--) { best[k] = best[k - 1]; who[k] = who[k - 1]; }
            if (where < 3) { best[where] = distance; who[where] = s; }
        }
        out[i] = who[0] + who[1] * 100 + who[2] * 10000;
    }
}
struct Triangle { V a, ab, ac; };
static bool meets(const Triangle &t, const V &origin, const V &direction, float &distance, float &u, float &v) {
    V p = cross(direction, t.ac);
    float det = t.ab * p;
    if (abs(det) < 1.0e-7f) return false;
    V s = (origin - t.a) / det;
    u = s * p;
    if (u < 0 || u > 1) return false;
    V q = cross(s, t.ab);
    v = direction * q;
    if (v < 0 || u + v > 1) return false;
    float found = t.ac * q;
    if (found <= 0 || found >= distance) return false;
    distance = found;
    return true;
}
export void rays(uniform int hits[], uniform float distances[], uniform float given[], uniform float triangles[], uniform int n, uniform int m) {
    foreach (i = 0 ... n) {
        V origin = at(given, i * 2), direction = at(given, i * 2 + 1);
        float distance = 50, u = 0, v = 0;
        int hit = -1, count = 0;
        for (uniform int k = 0; k < m; k++) {
            Triangle t;
            t.a = at(triangles, k * 3);
            t.ab = at(triangles, k * 3 + 1) - t.a;
            t.ac = at(triangles, k * 3 + 2) - t.a;
            if (meets(t, origin, direction, distance, u, v)) { hit = k; count++; }
        }
        hits[i] = hit + count * 1000;
        distances[i] = distance + u * 2 + v;
    }
}
export void polygons(uniform int sides[], uniform float areas[], uniform float corners[], uniform int n) {
    foreach (i = 0 ... n) {
        uniform float * p = &corners[i * 12];
        float area = 0; int inside = 0;
        for (uniform int k = 0, j = 5; k < 6; j = k++) {
            float x0 = p[j * 2], y0 = p[j * 2 + 1], x1 = p[k * 2], y1 = p[k * 2 + 1];
            area += x0 * y1 - x1 * y0;
            if ((y0 > 0) != (y1 > 0) && 0 < (x1 - x0) * (0 - y0) / (y1 - y0) + x0) inside ^= 1;
        }
        areas[i] = 0.5f * area;
        sides[i] = area > 0 ? 2 + inside : inside;
    }
}
export void raster(uniform uint32 colors[], uniform float depths[], uniform float corners[], uniform int count, uniform int w, uniform int h) {
    foreach (k = 0 ... w * h) { depths[k] = 1000; colors[k] = 0; }
    for (uniform int t = 0; t < count; t++) {
        uniform float x[3], y[3], z[3];
        uniform float left = 1.0e9f, right = -1.0e9f, top = 1.0e9f, bottom = -1.0e9f;
        for (uniform int k = 0; k < 3; k++) {
            x[k] = corners[t * 9 + k * 3]; y[k] = corners[t * 9 + k * 3 + 1]; z[k] = corners[t * 9 + k * 3 + 2];
            left = min(left, x[k]); right = max(right, x[k]); top = min(top, y[k]); bottom = max(bottom, y[k]);
        }
        uniform float area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        if (area == 0) continue;
        uniform int x0 = max(0, (uniform int)left), x1 = min(w, (uniform int)right + 1), y0 = max(0, (uniform int)top), y1 = min(h, (uniform int)bottom + 1);
        foreach (py = y0 ... y1, px = x0 ... x1) {
            float fx = px + 0.5f, fy = py + 0.5f;
            float w0 = ((x[1] - fx) * (y[2] - fy) - (x[2] - fx) * (y[1] - fy)) / area;
            float w1 = ((x[2] - fx) * (y[0] - fy) - (x[0] - fx) * (y[2] - fy)) / area;
            float w2 = 1 - w0 - w1;
            if (w0 >= 0 && w1 >= 0 && w2 >= 0) {
                float depth = w0 * z[0] + w1 * z[1] + w2 * z[2];
                if (depth < depths[py * w + px]) {
                    depths[py * w + px] = depth;
                    colors[py * w + px] = (colors[py * w + px] << 4) ^ (uint32)(t + 1);
                }
            }
        }
    }
}
// A tree in an array: children of k are 2k + 1 and 2k + 2; each lane keeps a stack of its own.
export void kdwalk(uniform int out[], uniform float tree[], uniform float points[], uniform int n) {
    foreach (i = 0 ... n) {
        float px = points[i * 2], py = points[i * 2 + 1], best = 1.0e9f;
        int who = -1, visited = 0;
        int8 stack[16];
        int depth = 0;
        int node = 0, level = 0;
        int8 levels[16];
        stack[0] = 0; levels[0] = 0; depth = 1;
        while (depth > 0) {
            depth--;
            node = stack[depth]; level = levels[depth];
            visited++;
            float dx = tree[node * 2] - px, dy = tree[node * 2 + 1] - py;
            float d2 = dx * dx + dy * dy;
            if (d2 < best) { best = d2; who = node; }
            if (node >= 63) continue;
            float split = (level & 1) ? dy : dx;
            int near = split > 0 ? node * 2 + 1 : node * 2 + 2, far = split > 0 ? node * 2 + 2 : node * 2 + 1;
            if (split * split < best) { stack[depth] = (int8)far; levels[depth] = (int8)(level + 1); depth++; }
            stack[depth] = (int8)near; levels[depth] = (int8)(level + 1); depth++;
        }
        out[i] = who * 1000 + visited;
    }
}
static inline int turn(int ax, int ay, int bx, int by, int cx, int cy) { return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax); }
export void convex(uniform int out[], uniform int points[], uniform int sets) {
    foreach (s = 0 ... sets) {
        int x[16], y[16], hull[16];
        for (uniform int k = 0; k < 16; k++) { x[k] = points[(s * 16 + k) * 2]; y[k] = points[(s * 16 + k) * 2 + 1]; }
        int start = 0;
        for (uniform int k = 1; k < 16; k++) if (x[k] < x[start] || (x[k] == x[start] && y[k] < y[start])) start = k;
        int count = 0, current = start, code = 0;
        do {
            hull[count++] = current;
            int next = 0;
            for (uniform int k = 1; k < 16; k++) {
                if (next == current) { next = k; continue; }
                int side = turn(x[current], y[current], x[next], y[next], x[k], y[k]);
                if (side < 0) next = k;
                else if (side == 0 && (x[k] - x[current]) * (x[k] - x[current]) + (y[k] - y[current]) * (y[k] - y[current]) > (x[next] - x[current]) * (x[next] - x[current]) + (y[next] - y[current]) * (y[next] - y[current])) next = k;
            }
            current = next;
        } while (current != start && count < 16);
        for (int k = 0; k < count; k++) code = code * 3 + hull[k];
        out[s] = code * 20 + count;
    }
}
static inline uint64 spread(uint64 v) {
    v &= 0x1fffff;
    v = (v | (v << 32)) & 0x1f00000000ffffull;
    v = (v | (v << 16)) & 0x1f0000ff0000ffull;
    v = (v | (v << 8)) & 0x100f00f00f00f00full;
    v = (v | (v << 4)) & 0x10c30c30c30c30c3ull;
    return (v | (v << 2)) & 0x1249249249249249ull;
}
static inline uint32 gathered(uint64 v) {
    uint32 r = 0;
    for (uniform int k = 0; k < 21; k++) r |= (uint32)((v >> (3 * k)) & 1) << k;
    return r;
}
export void morton(uniform uint64 codes[], uniform int again[], uniform int points[], uniform int n) {
    foreach (i = 0 ... n) {
        uint64 code = 0;
        for (uniform int k = 0; k < 3; k++) code |= spread((uint64)points[i * 3 + k]) << k;
        codes[i] = code;
        for (uniform int k = 0; k < 3; k++) again[i * 3 + k] = (int)gathered(code >> k);
    }
}
