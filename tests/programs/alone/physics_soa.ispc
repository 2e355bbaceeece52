// claim: particles in soa blocks, smoothed densities by a grid, springs and collisions agree with the same done one by one
// where:
//   n_ = 40
//   P = [[((k * 7) % 10) * 0.5, ((k * 3) % 8) * 0.5, (k % 4) * 0.5] for k in range(n_)]
//   V = [[0.25 * (k % 3) - 0.25, 0.125 * (k % 5), 0.0] for k in range(n_)]
//   h2 = 1.0
//   d2 = lambda a, b: sum((x - y) ** 2 for x, y in zip(a, b))
//   dens = [sum((h2 - d2(P[a], P[b])) ** 3 for b in range(n_) if d2(P[a], P[b]) < h2) for a in range(n_)]
//   cell = lambda p: int(p[0]) + 5 * int(p[1]) + 20 * int(p[2])
//   for t in range(4):
//       for k in range(n_):
//           V[k][1] -= 0.125
//           for c in range(3):
//               P[k][c] += 0.25 * V[k][c]
//               hi = (5.0, 4.0, 2.0)[c]
//               if P[k][c] < 0: P[k][c] = -P[k][c]; V[k][c] = -V[k][c] * 0.5
//               elif P[k][c] > hi: P[k][c] = 2 * hi - P[k][c]; V[k][c] = -V[k][c] * 0.5
//   energy = sum(0.5 * sum(v * v for v in vel) + 0.125 * p[1] for vel, p in zip(V, P))
// expect: dens, [p[0] for p in P], [p[1] for p in P], [v[1] for v in V], [energy], [len(set(map(cell, [[((k * 7) % 10) * 0.5, ((k * 3) % 8) * 0.5, (k % 4) * 0.5] for k in range(n_)])))]
// tolerance: 1e-5
#define COUNT 40
#define BLOCK 8
#define CELLS 40

struct Vec { float x, y, z; };
struct Particle {
    Vec position;
    Vec velocity;
    float history[2];
    int next;
};
struct Grid {
    int heads[CELLS];
    int used;
};

static inline Vec operator+(const Vec a, const Vec b) { Vec r = { a.x + b.x, a.y + b.y, a.z + b.z }; return r; }
static inline Vec operator-(const Vec a, const Vec b) { Vec r = { a.x - b.x, a.y - b.y, a.z - b.z }; return r; }
static inline Vec operator*(const Vec a, const float s) { Vec r = { a.x * s, a.y * s, a.z * s }; return r; }
static inline float length2(const Vec a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

static soa<BLOCK> Particle particles[COUNT / BLOCK];
static uniform Grid grid;

static inline int cellOf(const Vec p) { return (int)p.x + 5 * (int)p.y + 20 * (int)p.z; }
static inline uniform int cellOf(const uniform Vec &p) { return (uniform int)p.x + 5 * (uniform int)p.y + 20 * (uniform int)p.z; }

static void buildGrid(soa<BLOCK> Particle * uniform all, uniform int count) {
    for (uniform int c = 0; c < CELLS; c++) grid.heads[c] = -1;
    grid.used = 0;
    for (uniform int k = 0; k < count; k++) {
        uniform Vec p = all[k].position;
        uniform int c = cellOf(p);
        if (grid.heads[c] < 0) grid.used++;
        all[k].next = grid.heads[c];
        grid.heads[c] = k;
    }
}

static void densities(soa<BLOCK> Particle * uniform all, uniform int count, uniform double out[]) {
    foreach (k = 0 ... count) {
        const Vec here = all[k].position;
        float sum = 0;
        int cx = here.x, cy = here.y, cz = here.z;
        for (int z = max(cz - 1, 0); z <= min(cz + 1, 1); z++)
            for (int y = max(cy - 1, 0); y <= min(cy + 1, 3); y++)
                for (int x = max(cx - 1, 0); x <= min(cx + 1, 4); x++)
                    for (int other = grid.heads[x + 5 * y + 20 * z]; other >= 0; other = all[other].next) {
                        const float d2 = length2((Vec)all[other].position - here);
                        if (d2 >= 1) continue;
                        const float w = 1 - d2;
                        sum += w * w * w;
                    }
        out[k] = sum;
    }
}

static inline void bounce(float &position, float &velocity, uniform float high) {
    if (position < 0) {
        position = -position;
        velocity *= -0.5;
    } else if (position > high) {
        position = 2 * high - position;
        velocity *= -0.5;
    }
}

static void step(soa<BLOCK> Particle all[], uniform int count, uniform float dt) {
    foreach (k = 0 ... count) {
        Particle p = all[k];
        p.history[1] = p.history[0];
        p.history[0] = p.position.y;
        p.velocity.y -= 0.125;
        p.position = p.position + p.velocity * dt;
        bounce(p.position.x, p.velocity.x, 5);
        bounce(p.position.y, p.velocity.y, 4);
        bounce(p.position.z, p.velocity.z, 2);
        all[k] = p;
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<BLOCK> Particle * uniform all = particles;
    foreach (k = 0 ... COUNT) {
        all[k].position.x = ((k * 7) % 10) * 0.5;
        all[k].position.y = ((k * 3) % 8) * 0.5;
        all[k].position.z = (k % 4) * 0.5;
        all[k].velocity.x = 0.25 * (k % 3) - 0.25;
        all[k].velocity.y = 0.125 * (k % 5);
        all[k].velocity.z = 0;
    }
    buildGrid(all, COUNT);
    densities(all, COUNT, out);
    uniform int used = grid.used;
    for (uniform int t = 0; t < 4; t++) step(all, COUNT, 0.25);
    float energy = 0;
    foreach (k = 0 ... COUNT) {
        out[COUNT + k] = all[k].position.x;
        out[2 * COUNT + k] = all[k].position.y;
        soa<BLOCK> Particle * varying p = all + k;
        out[3 * COUNT + k] = p->velocity.y;
        energy += 0.5 * length2((Vec)p->velocity) + 0.125 * p->position.y;
    }
    out[4 * COUNT] = reduce_add(energy);
    out[4 * COUNT + 1] = used;
}
