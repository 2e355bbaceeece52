// claim: Fourier transforms, waves, multigrid, neighbour grids, a quadtree, contours, orbits and random walks agree with numpy
// where:
//   T = lambda v: np.asarray(v, np.float32)
//   def spectrum(N): return np.fft.fft(np.array([((k * 7) % 11) - 5 + 1j * ((k * 3) % 5) for k in range(N)]))
//   lengths = [60, 64, 45, 128]
//   specs = [v for N in lengths for s in [spectrum(N)] for k in (0, 1, N // 3, N - 1) for v in (s[k].real, s[k].imag)]
//   S = 24
//   u0 = np.zeros((S, S)); u1 = np.zeros((S, S)); u1[12, 9] = 1.0; speed = np.where(np.arange(S)[:, None] < 14, 0.25, 0.1)
//   for _ in range(20):
//       lap = np.zeros((S, S)); lap[1:-1, 1:-1] = u1[2:, 1:-1] + u1[:-2, 1:-1] + u1[1:-1, 2:] + u1[1:-1, :-2] - 4 * u1[1:-1, 1:-1]
//       damp = np.ones((S, S)); damp[:3] = damp[-3:] = 0.9; damp[:, :3] = damp[:, -3:] = 0.9
//       u0, u1 = u1, (2 * u1 - u0 + speed * lap) * damp
//   G = 63
//   rhs = np.sin((np.arange(G) + 1) * 0.3); A = 2 * np.eye(G) - np.eye(G, k=1) - np.eye(G, k=-1); poisson = np.linalg.solve(A, rhs / 64 ** 2)
//   P = np.array([[((k * 37) % 101) / 101 * 8, ((k * 53) % 89) / 89 * 8] for k in range(70)])
//   D = np.sqrt(((P[:, None] - P) ** 2).sum(2)); density = np.where(D < 1, (1 - D * D) ** 3, 0).sum(1)
//   near = ((D < 1).sum(1)).tolist()
//   M = np.array([1 + k % 3 for k in range(70)])
//   inv = 1 / (D * D + 0.01) ** 1.5; force = ((P[None] - P[:, None]) * (M * inv)[:, :, None]).sum(1)
//   field = np.array([[math.sin(x * 0.5) + math.cos(y * 0.4) + 0.05 for x in range(13)] for y in range(13)])
//   inside = field > 0
//   cells = [int(inside[y, x]) | int(inside[y, x + 1]) << 1 | int(inside[y + 1, x + 1]) << 2 | int(inside[y + 1, x]) << 3 for y in range(12) for x in range(12)]
//   case_counts = [cells.count(c) for c in range(16)]
//   def rng(seed):
//       rot = lambda v, n: ((v << n) | (v >> (32 - n))) & 0xffffffff
//       z = [seed, seed ^ 0xBEEFF00D, rot(seed, 16), int.from_bytes(seed.to_bytes(4, 'little'), 'big')]
//       while True:
//           for j, (q, r, m, t) in enumerate(((6, 13, 0xFFFFFFFE, 18), (2, 27, 0xFFFFFFF8, 2), (13, 21, 0xFFFFFFF0, 7), (3, 12, 0xFFFFFF80, 13))):
//               b = (((z[j] << q) & 0xffffffff) ^ z[j]) >> r; z[j] = (((z[j] & m) << t) & 0xffffffff) ^ b
//           yield z[0] ^ z[1] ^ z[2] ^ z[3]
//   def walk(k):
//       g = rng(k * 977 + 13); x = y = 0; steps = 0
//       while x * x + y * y < 100 and steps < 200:
//           d = next(g) & 3; steps += 1
//           if d == 0: x += 1
//           elif d == 1: x -= 1
//           elif d == 2: y += 1
//           else: y -= 1
//       return steps * 1000 + (x + 50) * 10 + y
//   def orbit(k):
//       z, c = 0.5, complex(-1.97 + (k % 8) * 0.75, -1.23 + (k // 8) * 0.4)
//       for s in range(60):
//           z = c * z * (1 - z)
//           if abs(z) > 2: return s
//       return 60
//   def hull(points):
//       pts = sorted(set(map(tuple, points))); r = []
//       for seq in (pts, pts[::-1]):
//           h = []
//           for p in seq:
//               while len(h) > 1 and (h[-1][0] - h[-2][0]) * (p[1] - h[-2][1]) - (h[-1][1] - h[-2][1]) * (p[0] - h[-2][0]) <= 0: h.pop()
//               h.append(p)
//           r += h[:-1]
//       return len(r), abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(r, r[1:] + r[:1]))) / 2
//   ints = [((k * 37) % 101, (k * 53) % 89) for k in range(70)]
// expect: specs, u1[12], u1[:, 9], poisson * 1000, density, near, force[:, 0], force[:, 1], case_counts, [walk(k) for k in range(32)], [orbit(k) for k in range(56)], hull(ints), [math.exp(-(k % 7) * 0.25) * math.cos(k * 0.5) for k in range(20)], [1, 1, 1]
// tolerance: 2e-3
typedef double<2> complex;

// --- Fourier transforms of lengths with the factors 2, 3, 4 and 5 -------------------------------------------

static inline complex times(complex a, complex b) { complex r = { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; return r; }
static inline complex rotated(complex a) { complex r = { a.y, -a.x }; return r; }

template <int RADIX> inline void butterfly(complex v[RADIX]) {
    complex r[RADIX];
    switch (RADIX) {
    case 2:
        r[0] = v[0] + v[1];
        r[1] = v[0] - v[1];
        break;
    case 4: {
        complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = rotated(v[1] - v[3]);
        r[0] = a + c; r[1] = b + d; r[2] = a - c; r[3] = b - d;
        break;
    }
    default:
        for (uniform int j = 0; j < RADIX; ++j) {
            complex s = v[0];
            for (uniform int k = 1; k < RADIX; ++k) {
                uniform double angle = -2 * 3.14159265358979323846d * ((j * k) % RADIX) / RADIX;
                complex w = { cos(angle), sin(angle) };
                s += times(v[k], w);
            }
            r[j] = s;
        }
    }
    for (uniform int j = 0; j < RADIX; ++j) v[j] = r[j];
}

template <int RADIX>
static void pass(const uniform double from[][2], uniform double to[][2], uniform int size, uniform int span) {
    uniform int groups = size / RADIX;
    foreach (g = 0 ... groups) {
        int k = g % span;
        complex v[RADIX];
        for (uniform int j = 0; j < RADIX; ++j) {
            complex value = { from[g + j * groups][0], from[g + j * groups][1] };
            double angle = -2 * 3.14159265358979323846d * k * j / (span * RADIX);
            complex w = { cos(angle), sin(angle) };
            v[j] = times(value, w);
        }
        butterfly<RADIX>(v);
        int at = (g - k) * RADIX + k;
        for (uniform int j = 0; j < RADIX; ++j) {
            to[at + j * span][0] = v[j].x;
            to[at + j * span][1] = v[j].y;
        }
    }
}

typedef void (*Pass)(const uniform double from[][2], uniform double to[][2], uniform int size, uniform int span);
static void pass2(const uniform double a[][2], uniform double b[][2], uniform int n, uniform int s) { pass<2>(a, b, n, s); }
static void pass3(const uniform double a[][2], uniform double b[][2], uniform int n, uniform int s) { pass<3>(a, b, n, s); }
static void pass4(const uniform double a[][2], uniform double b[][2], uniform int n, uniform int s) { pass<4>(a, b, n, s); }
static void pass5(const uniform double a[][2], uniform double b[][2], uniform int n, uniform int s) { pass<5>(a, b, n, s); }

static void transform(uniform double data[][2], uniform double work[][2], uniform int size) {
    static const uniform int radices[4] = { 4, 5, 3, 2 };
    const uniform Pass passes[4] = { pass4, pass5, pass3, pass2 };
    uniform double (* uniform from)[2] = data, (* uniform to)[2] = work;
    uniform int rest = size, span = 1;
    for (uniform int r = 0; r < 4;) {
        if (rest % radices[r] != 0) { ++r; continue; }
        passes[r](from, to, size, span);
        rest /= radices[r];
        span *= radices[r];
        uniform double (* uniform t)[2] = from;
        from = to;
        to = t;
    }
    assert(rest == 1);
    if (from != data) foreach (k = 0 ... size, c = 0 ... 2) data[k][c] = work[k][c];
}

// --- waves -----------------------------------------------------------------------------------------------------------

#define S 24
struct Wave { float now[S][S], before[S][S]; };

task void wave_rows(uniform Wave * uniform w, uniform float next[S][S]) {
    uniform int per = S / taskCount1;
    foreach_tiled (y = taskIndex1 * per ... (taskIndex1 + 1) * per, x = 0 ... S) {
        float laplacian = 0, speed = y < 14 ? 0.25f : 0.1f;
        if (x > 0 && x < S - 1 && y > 0 && y < S - 1)
            laplacian = w->now[y + 1][x] + w->now[y - 1][x] + w->now[y][x + 1] + w->now[y][x - 1] - 4 * w->now[y][x];
        float v = 2 * w->now[y][x] - w->before[y][x] + speed * laplacian;
        cif (x < 3 || y < 3 || x >= S - 3 || y >= S - 3) v *= 0.9f;
        next[y][x] = v;
    }
}

// --- multigrid: recursion over the levels ------------------------------------------------------------------------------

static void smooth(uniform double x[], const uniform double b[], uniform int count, uniform int sweeps) {
    uniform double * uniform fresh = uniform new uniform double[count];
    for (uniform int s = 0; s < sweeps; ++s) {
        foreach (k = 0 ... count) {
            double left = 0, right = 0;
            if (k > 0) left = x[k - 1];
            if (k < count - 1) right = x[k + 1];
            fresh[k] = x[k] + 2.0d / 3.0d * ((b[k] + left + right) / 2 - x[k]);
        }
        memcpy(x, fresh, count * sizeof(uniform double));
    }
    delete[] fresh;
}

static void v_cycle(uniform double x[], const uniform double b[], uniform int count) {
    if (count == 1) { x[0] = b[0] / 2; return; }
    smooth(x, b, count, 3);
    uniform int half = count / 2;
    uniform double * uniform coarse_b = (uniform double * uniform)alloca(half * sizeof(uniform double));
    uniform double * uniform coarse_x = (uniform double * uniform)alloca(half * sizeof(uniform double));
    uniform double residual[64];
    foreach (k = 0 ... count) {
        double left = k > 0 ? x[k - 1] : 0.0d, right = k < count - 1 ? x[k + 1] : 0.0d;
        residual[k] = b[k] - (2 * x[k] - left - right);
    }
    foreach (k = 0 ... half) {
        coarse_b[k] = residual[2 * k] + 2 * residual[2 * k + 1] + residual[2 * k + 2];
        coarse_x[k] = 0;
    }
    v_cycle(coarse_x, coarse_b, half);
    foreach (k = 0 ... count) {
        double a = k > 0 ? coarse_x[(k - 1) >> 1] : 0.0d;
        double c = a;
        if (!(k & 1)) c = k / 2 < half ? coarse_x[k / 2] : 0.0d;
        x[k] += k & 1 ? a : (a + c) / 2;
    }
    smooth(x, b, count, 3);
}

// --- particles: a grid of neighbours, and a quadtree ----------------------------------------------------------------

#define PARTICLES 70
struct Particles { float x[PARTICLES], y[PARTICLES]; int mass[PARTICLES]; };
struct Grid { int start[65]; int item[PARTICLES]; };

static inline int cell_of(float x, float y) { return clamp((int)y, 0, 7) * 8 + clamp((int)x, 0, 7); }

static void make_grid(uniform Grid &g, const uniform Particles &p) {
    uniform int count[64];
    foreach (c = 0 ... 64) count[c] = 0;
    foreach (k = 0 ... PARTICLES) atomic_add_local(&count[cell_of(p.x[k], p.y[k])], 1);
    uniform int sum = 0;
    foreach (c = 0 ... 64) { g.start[c] = sum + exclusive_scan_add(count[c]); sum += reduce_add(count[c]); }
    g.start[64] = sum;
    foreach (c = 0 ... 64) count[c] = g.start[c];
    foreach (k = 0 ... PARTICLES) {
        int slot = atomic_add_local(&count[cell_of(p.x[k], p.y[k])], 1);
        g.item[slot] = k;
    }
}

static float density(const uniform Grid &g, const uniform Particles &p, float x, float y, int &neighbours) {
    float sum = 0;
    int cx = (int)x, cy = (int)y;
    for (uniform int dy = -1; dy <= 1; ++dy)
        for (uniform int dx = -1; dx <= 1; ++dx) {
            int nx = cx + dx, ny = cy + dy;
            if (nx < 0 || ny < 0 || nx > 7 || ny > 7) continue;
            int cell = ny * 8 + nx;
            for (int at = g.start[cell], end = g.start[cell + 1]; at < end; ++at) {
                int other = g.item[at];
                float ox = p.x[other] - x, oy = p.y[other] - y, d2 = 1;
                d2 = ox * ox + oy * oy;
                if (d2 >= 1) continue;
                neighbours++;
                float w = 1 - d2;
                sum += w * w * w;
            }
        }
    return sum;
}

struct Quad { float cx, cy, half, mx, my, mass; int child[4]; int particle; };
static uniform Quad quads[400];
static uniform int quad_count;

static uniform int new_quad(uniform float cx, uniform float cy, uniform float half) {
    uniform Quad q = { cx, cy, half, 0, 0, 0, { -1, -1, -1, -1 }, -1 };
    quads[quad_count] = q;
    return quad_count++;
}

static void insert(uniform int node, uniform int k, const uniform Particles &p) {
    uniform Quad * uniform q = &quads[node];
    uniform bool empty = q->mass == 0;
    uniform int resident = q->particle;
    q->mx += p.x[k] * p.mass[k];
    q->my += p.y[k] * p.mass[k];
    q->mass += p.mass[k];
    if (empty) { q->particle = k; return; }
    q->particle = -1;
    uniform int movers[2] = { resident, k };
    for (uniform int m = resident < 0 ? 1 : 0; m < 2; ++m) {
        uniform int which = (p.x[movers[m]] >= q->cx ? 1 : 0) | (p.y[movers[m]] >= q->cy ? 2 : 0);
        if (q->child[which] < 0) {
            uniform float h = q->half / 2;
            q->child[which] = new_quad(q->cx + (which & 1 ? h : -h), q->cy + (which & 2 ? h : -h), h);
        }
        insert(q->child[which], movers[m], p);
    }
}

struct Force { float x, y; };

static Force &operator+=(Force &a, const Force &b) { a.x += b.x; a.y += b.y; return a; }
static Force pull(float dx, float dy, float mass) {
    float d2 = dx * dx + dy * dy + 0.01f, inverse = 0;
    inverse = mass / (d2 * sqrt(d2));
    Force f = { dx * inverse, dy * inverse };
    return f;
}

static Force force_at(float x, float y, uniform float theta) {
    Force total = { 0, 0 };
    int stack[40];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const uniform Quad * varying q = &quads[stack[--depth]];
        float inverse = 1 / q->mass;
        float dx = q->mx * inverse - x, dy = q->my * inverse - y, size = 2 * q->half;
        if (q->particle >= 0 || size * size < theta * theta * (dx * dx + dy * dy)) {
            total += pull(dx, dy, q->mass);
            continue;
        }
        for (uniform int c = 0; c < 4; ++c)
            if (q->child[c] >= 0) stack[depth++] = q->child[c];
    }
    return total;
}

// --- contours, orbits, walks, hulls --------------------------------------------------------------------------------------

static void contours(uniform int counts[16], uniform float field[13][13]) {
    foreach (y = 0 ... 13, x = 0 ... 13) field[y][x] = sin(x * 0.5f) + cos(y * 0.4f) + 0.05f;
    for (uniform int c = 0; c < 16; ++c) counts[c] = 0;
    foreach (y = 0 ... 12, x = 0 ... 12) {
        int which = 0;
        const uniform int dx[4] = { 0, 1, 1, 0 }, dy[4] = { 0, 0, 1, 1 };
        for (uniform int corner = 0; corner < 4; ++corner)
            if (field[y + dy[corner]][x + dx[corner]] > 0) which |= 1 << corner;
        foreach_unique (w in which) counts[w] += popcnt(lanemask());
    }
}

static int walk(uint seed) {
    RNGState state;
    seed_rng(&state, seed);
    int x = 0, y = 0, steps = 0;
    while (x * x + y * y < 100 && steps < 200) {
        ++steps;
        switch (random(&state) & 3) {
        case 0: x++; break;
        case 1: --x; break;
        case 2: y += 1; break;
        default: y -= 1;
        }
    }
    return steps * 1000 + (x + 50) * 10 + y;
}

// The logistic map of complex numbers, from its critical point on.
static int orbit(double<2> c) {
    const double<2> one = { 1.0d, 0.0d };
    double<2> z = 0.5d * one;
    int s;
    for (s = 0; s < 60; ++s) {
        z = times(c, times(z, one - z));
        if (z.x * z.x + z.y * z.y > 4) break;
    }
    return s;
}

struct Corner { int x, y; };
static inline uniform int turn(const uniform Corner &a, const uniform Corner &b, const uniform Corner &c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
uniform bool operator<(const uniform Corner &a, const uniform Corner &b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

static uniform int hull(uniform Corner points[], uniform int count, uniform float &area) {
    for (uniform int k = 1; k < count; ++k) {
        uniform Corner c = points[k];
        uniform int j = k;
        for (; j > 0 && c < points[j - 1]; --j) points[j] = points[j - 1];
        points[j] = c;
    }
    uniform Corner chain[2 * PARTICLES];
    uniform int size = 0;
    for (uniform int direction = 0; direction < 2; ++direction) {
        uniform int base = size;
        for (uniform int k = 0; k < count; ++k) {
            uniform Corner &c = points[direction ? count - 1 - k : k];
            while (size - base > 1 && turn(chain[size - 2], chain[size - 1], c) <= 0) --size;
            chain[size++] = c;
        }
        --size;
    }
    int twice = 0;
    foreach (k = 0 ... size) {
        Corner a = chain[k], b = chain[(k + 1) % size];
        twice += a.x * b.y - a.y * b.x;
    }
    area = 0.5f * abs(reduce_add(twice));
    return size;
}

// y'' = -0.5 y' - 0.3125 y, by steps that each lane halves as it needs to: y = exp(-t/4) cos(t/2)
static float damped(float t) {
    float y = 1, v = -0.25f, at = 0, h = 0.5f;
    while (at < t) {
        h = min(h, t - at);
        float y1 = y, v1 = v, error = 0;
        for (uniform int halves = 1; halves <= 2; ++halves) {
            float a = y, b = v, step = h / halves;
            for (uniform int s = 0; s < halves; ++s) {
                float ka[4], kb[4];
                uniform float weight = 0;
                for (uniform int k = 0; k < 4; ++k) {
                    float pa = k == 0 ? a : a + weight * step * ka[k - 1], pb = b;
                    if (k != 0) pb = b + weight * step * kb[k - 1];
                    ka[k] = pb;
                    kb[k] = -0.5f * pb - 0.3125f * pa;
                    weight = k < 2 ? 0.5f : 1.f;
                }
                a += step / 6 * (ka[0] + 2 * ka[1] + 2 * ka[2] + ka[3]);
                b += step / 6 * (kb[0] + 2 * kb[1] + 2 * kb[2] + kb[3]);
            }
            error = abs(a - y1);
            y1 = a; v1 = b;
        }
        if (error > 2e-6f && h > 0.01f) { h *= 0.5f; continue; }
        at += h;
        y = y1; v = v1;
        if (error < 1e-7f) h *= 2;
    }
    return y;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double * uniform o = out;
    const uniform int lengths[4] = { 60, 64, 45, 128 };
    uniform double data[128][2], work[128][2];
    for (uniform int l = 0; l < 4; ++l) {
        uniform int size = lengths[l];
        foreach (k = 0 ... size) { data[k][0] = (k * 7) % 11 - 5; data[k][1] = (k * 3) % 5; }
        transform(data, work, size);
        const uniform int which[4] = { 0, 1, size / 3, size - 1 };
        for (uniform int k = 0; k < 4; ++k) for (uniform int c = 0; c < 2; ++c) *o++ = data[which[k]][c];
    }

    uniform Wave * uniform wave = uniform new uniform Wave;
    memset(wave, 0, sizeof(uniform Wave));
    wave->now[12][9] = 1;
    uniform float next[S][S];
    for (uniform int step = 0; step < 20; ++step) {
        launch[1, 3] wave_rows(wave, next);
        sync;
        memcpy(wave->before, wave->now, sizeof(next));
        memcpy(wave->now, next, sizeof(next));
    }
    foreach (k = 0 ... S) { o[k] = wave->now[12][k]; o[S + k] = wave->now[k][9]; }
    delete wave;
    o += 2 * S;

    uniform double x[63], b[63];
    foreach (k = 0 ... 63) { x[k] = 0; b[k] = sin((k + 1) * 0.3d) / 4096; }
    for (uniform int cycle = 0; cycle < 12; ++cycle) v_cycle(x, b, 63);
    foreach (k = 0 ... 63) o[k] = x[k] * 1000;
    o += 63;

    uniform Particles particles;
    foreach (k = 0 ... PARTICLES) {
        particles.x[k] = ((k * 37) % 101) / 101.f * 8;
        particles.y[k] = ((k * 53) % 89) / 89.f * 8;
        particles.mass[k] = 1 + k % 3;
    }
    uniform Grid grid;
    make_grid(grid, particles);
    foreach (k = 0 ... PARTICLES) {
        int neighbours = 0;
        o[k] = density(grid, particles, particles.x[k], particles.y[k], neighbours);
        o[PARTICLES + k] = neighbours;
    }
    o += 2 * PARTICLES;
    new_quad(4, 4, 4);
    for (uniform int k = 0; k < PARTICLES; ++k) insert(0, k, particles);
    uniform bool roughly = true;
    foreach (k = 0 ... PARTICLES) {
        Force exact = force_at(particles.x[k], particles.y[k], 0), rough = force_at(particles.x[k], particles.y[k], 0.25f);
        o[k] = exact.x;
        o[PARTICLES + k] = exact.y;
        float dx = exact.x - rough.x, dy = exact.y - rough.y;
        if (any(dx * dx + dy * dy > 0.02f * (1 + exact.x * exact.x + exact.y * exact.y))) roughly = false;
    }
    o += 2 * PARTICLES;

    uniform int counts[16];
    uniform float field[13][13];
    contours(counts, field);
    for (uniform int c = 0; c < 16; ++c) *o++ = counts[c];
    foreach (k = 0 ... 32) o[k] = walk(k * 977 + 13);
    o += 32;
    foreach (k = 0 ... 56) {
        double<2> c = { -1.97d + (k % 8) * 0.75d, -1.23d + (k / 8) * 0.4d };
        o[k] = orbit(c);
    }
    o += 56;
    uniform Corner corners[PARTICLES];
    foreach (k = 0 ... PARTICLES) { corners[k].x = (k * 37) % 101; corners[k].y = (k * 53) % 89; }
    uniform float area = 0;
    o[0] = hull(corners, PARTICLES, area);
    o[1] = area;
    o += 2;
    foreach (k = 0 ... 20) {
        float t = k % 7;
        o[k] = damped(t) / cos(t * 0.5f) * cos(k * 0.5f);
    }
    o += 20;
    o[0] = roughly;
    o[1] = quads[0].mass == 139;
    o[2] = grid.start[64] == PARTICLES;
}
