// call: fill: Z(32*32*32,np.uint8), I(12*5,0,32), 32, 12
// call: march: Z(48*32), Z(48*32,np.float32), I(16*16*16,0,6,np.uint8), 16, 48, 32
// call: flood: Z(24*24,np.int32), I(24*24,0,3,np.uint8), 24
// call: light: Z(20*20*20,np.uint8), I(20*20*20,0,8,np.uint8), 20
// call: mesh: Z(4), Z(14*14*14,np.uint8), I(14*14*14,0,2,np.uint8), 14
// call: noise: Z(40*30,np.float32), Z(40*30,np.uint8), 40, 30
// call: rle: Z(64*40,np.uint16), Z(64), I(64*32,0,3,np.uint8), 64, 32
// call: octree: Z(1), Z(300), I(16*16*16,0,2,np.uint8), 16
struct Point { int x, y, z; };
static inline Point operator+(Point a, Point b) { Point r; r.x = a.x + b.x; r.y = a.y + b.y; r.z = a.z + b.z; return r; }
static inline bool operator==(const Point &a, const Point &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static inline bool within(const Point &p, uniform int n) { return p.x >= 0 && p.y >= 0 && p.z >= 0 && p.x < n && p.y < n && p.z < n; }
static inline int index_of(const Point &p, uniform int n) { return (p.z * n + p.y) * n + p.x; }
static const uniform int8 sides[6][3] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
export void fill(uniform uint8 cells[], uniform int shapes[], uniform int n, uniform int count) {
    foreach (z = 0 ... n, y = 0 ... n, x = 0 ... n) {
        uint8 kind = 0;
        for (uniform int s = 0; s < count; s++) {
            uniform int * uniform p = &shapes[s * 5];
            int dx = x - p[0], dy = y - p[1], dz = z - p[2];
            uniform int r = 1 + (p[3] & 7);
            switch (p[4] % 3) {
            case 0: if (dx * dx + dy * dy + dz * dz <= r * r) kind = 1 + s; break;
            case 1: if (abs(dx) <= r && abs(dy) <= r && abs(dz) <= r) { kind |= 16; kind++; } break;
            default: if (abs(dx) + abs(dy) + abs(dz) < r) kind ^= 64;
            }
        }
        cells[(z * n + y) * n + x] = kind;
    }
}
task void row(uniform int hits[], uniform float lengths[], uniform uint8 cells[], uniform int n, uniform int w, uniform int h) {
    uniform int y = taskIndex;
    foreach (x = 0 ... w) {
        float px = 0.5f, py = n * (y + 0.5f) / h, pz = n * (x + 0.5f) / w;
        float dx = 1, dy = (y - h * 0.5f) / h, dz = (x - w * 0.5f) / w;
        Point at;
        at.x = 0; at.y = (int)py; at.z = (int)pz;
        int sx = 1, sy = dy < 0 ? -1 : 1, sz = dz < 0 ? -1 : 1;
        float tx = 0.5f, ty = dy == 0 ? 1.0e9f : ((dy < 0 ? at.y : at.y + 1) - py) / dy, tz = dz == 0 ? 1.0e9f : ((dz < 0 ? at.z : at.z + 1) - pz) / dz;
        float ex = 1, ey = dy == 0 ? 1.0e9f : abs(1 / dy), ez = dz == 0 ? 1.0e9f : abs(1 / dz), t = 0;
        int steps = 0, face = -1;
        cwhile (within(at, n)) {
            if (cells[index_of(at, n)] == 5) break;
            if (tx < ty && tx < tz) { at.x += sx; t = tx; tx += ex; face = 0; }
            else if (ty < tz) { at.y += sy; t = ty; ty += ey; face = 1; }
            else { at.z += sz; t = tz; tz += ez; face = 2; }
            if (++steps > 40) break;
        }
        hits[y * w + x] = within(at, n) ? index_of(at, n) * 4 + face + 1 : -steps;
        lengths[y * w + x] = t;
    }
}
export void march(uniform int hits[], uniform float lengths[], uniform uint8 cells[], uniform int n, uniform int w, uniform int h) {
    launch[h] row(hits, lengths, cells, n, w, h);
    sync;
}
export void flood(uniform int labels[], uniform uint8 cells[], uniform int n) {
    foreach (k = 0 ... n * n) labels[k] = k;
    uniform int changed = 1, rounds = 0;
    while (changed && rounds < 60) {
        changed = 0;
        rounds++;
        for (uniform int y = 0; y < n; y++)
            for (uniform int x = 0; x < n; x++) {
                uniform int k = y * n + x; uniform int least = labels[k];
                for (uniform int s = 0; s < 4; s++) {
                    uniform int nx = x + sides[s][0], ny = y + sides[s][1];
                    if (nx < 0 || ny < 0 || nx >= n || ny >= n) continue;
                    if (cells[ny * n + nx] == cells[k]) least = min(least, labels[ny * n + nx]);
                }
                if (least < labels[k]) { labels[k] = least; changed = 1; }
            }
    }
}
export void light(uniform uint8 lit[], uniform uint8 cells[], uniform int n) {
    foreach (z = 0 ... n, x = 0 ... n) {
        uint8 level = 15;
        for (uniform int y = n - 1; y >= 0; y--) {
            uint8 c = cells[(z * n + y) * n + x];
            if (c == 7) level = 0;
            else if (c > 4) level = level > c ? level - c : (uint8)0;
            lit[(z * n + y) * n + x] = level;
        }
    }
    for (uniform int pass_ = 0; pass_ < 2; pass_++)
        foreach_tiled (z = 1 ... n - 1, y = 1 ... n - 1) {
            uint8 before = 0;
            for (uniform int x = 0; x < n; x++) {
                uint8 own = lit[(z * n + y) * n + x];
                if (before > own + 1) own = before - 1;
                if (cells[(z * n + y) * n + x] == 7) own = 0;
                lit[(z * n + y) * n + x] = own;
                before = own;
            }
        }
}
export void mesh(uniform int totals[], uniform uint8 faces[], uniform uint8 solid[], uniform int n) {
    foreach (z = 0 ... n, y = 0 ... n, x = 0 ... n) {
        Point at;
        at.x = x; at.y = y; at.z = z;
        uint8 open = 0;
        if (solid[index_of(at, n)]) {
            for (uniform int s = 0; s < 6; s++) {
                Point step;
                step.x = sides[s][0]; step.y = sides[s][1]; step.z = sides[s][2];
                Point next = at + step;
                bool shown = !within(next, n);
                if (!shown) shown = !solid[index_of(next, n)];
                if (shown) open |= 1 << s;
                if (next == at) open = 255;
            }
            atomic_add_global(&totals[0], popcnt((int)open));
            atomic_or_global(&totals[1], (int)open << (x & 7));
            if (open == 63) atomic_xor_global(&totals[2], index_of(at, n));
        }
        faces[index_of(at, n)] = open;
    }
}
static inline float corner(int x, int y) {
    uint32 h = (uint32)x * 374761393u + (uint32)y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return (float)(int)((h ^ (h >> 16)) & 0xFFFF) * (1.0f / 65536);
}
static inline float mix(float a, float b, float t) { return a + (b - a) * t; }
export void noise(uniform float heights[], uniform uint8 kinds[], uniform int w, uniform int h) {
    foreach (y = 0 ... h, x = 0 ... w) {
        float sum = 0, scale = 0.5f, fx = x * 0.11f - 1.7f, fy = y * 0.13f - 0.9f;
        for (uniform int octave = 0; octave < 4; octave++) {
            int ix = (int)floor(fx), iy = (int)floor(fy);
            float tx = fx - ix, ty = fy - iy;
            tx = tx * tx * (3 - 2 * tx); ty = ty * ty * (3 - 2 * ty);
            sum += scale * mix(mix(corner(ix, iy), corner(ix + 1, iy), tx), mix(corner(ix, iy + 1), corner(ix + 1, iy + 1), tx), ty);
            scale *= 0.5f; fx *= 2; fy *= 2;
        }
        heights[y * w + x] = sum;
        kinds[y * w + x] = sum < 0.35f ? 1 : sum < 0.5f ? 2 : sum < 0.6f ? 3 : 4;
    }
}
export void rle(uniform uint16 out[], uniform int counts[], uniform uint8 rows[], uniform int n, uniform int length) {
    foreach (r = 0 ... n) {
        int count = 0, at = 0;
        uniform uint16 * varying to = out + r * 40;
        while (at < length) {
            uint8 kind = rows[r * length + at];
            int run = 1;
            while (at + run < length && rows[r * length + at + run] == kind) run++;
            to[count] = (uint16)(run | (int)kind << 12);
            count++;
            at += run;
        }
        counts[r] = count;
    }
}
static int depth_of(uniform uint8 cells[], uniform int n, int x, int y, int z, int size) {
    bool mixed_ = false;
    uint8 first = cells[(z * n + y) * n + x];
    for (int k = 0; k < size * size * size && !mixed_; k++)
        mixed_ = cells[((z + k / (size * size)) * n + y + k / size % size) * n + x + k % size] != first;
    if (!mixed_ || size == 1) return 1;
    int half = size / 2, total = 1;
    for (int k = 0; k < 8; k++) total += depth_of(cells, n, x + (k & 1) * half, y + ((k >> 1) & 1) * half, z + (k >> 2) * half, half);
    return total;
}
export void octree(uniform int total[], uniform int sizes[], uniform uint8 cells[], uniform int n) {
    foreach (k = 0 ... n * n * n) if (k % 5 != 0 && (k / 64) % 3 != 2) cells[k] = cells[k / 64 * 64];
    foreach (k = 0 ... 64) sizes[k] = depth_of(cells, n, (k & 3) * 4, ((k >> 2) & 3) * 4, (k >> 4) * 4, 4);
    foreach (k = 0 ... 64) atomic_add_global(&total[0], sizes[k]);
}
