// call: simulate: Z(40*3,np.int64), D(40*2,1,22), D(40*2,-1,1), Z(24*24,np.float64), Z(2*25*25,np.float64), I(24*24,0,9), 40, 4
// call: smoke: Z(20*28,np.float32), F(20*28), F(20*28*2,-3,3), I(20*28,0,12,np.uint8), 28, 20, 5
// call: multigrid: Z(33*33,np.float64), D(33*33,-1,1), 3
// call: volume_walls: Z(9*10*11,np.int16), I(9*10*11,0,7,np.int8), 9, 10, 11, 6
// call: bins: Z(16*16+1), Z(300), D(300*2,0,16), 300
// call: springs: D(30*2), D(30*2), I(80*2,0,30), D(80,0.1,2), 30, 80, 12
// tolerance: 1e-9
#define CELL(x, y) ((y) * size + (x))
#define FIXED 1048576
static const uniform int size = 24;
static const uniform int faces = 25;
static const uniform int all_faces = faces * faces;
enum Kind { AIR, WATER, WALL };
struct Grid { uniform double * pressure; uniform double * u; uniform double * v; uniform int * kind; };
struct Corner { int x, y; double wx, wy; };

static inline Corner corner_of(double px, double py) {
    Corner c;
    px = clamp(px, (double)0.5, (double)size - 1.5);
    py = clamp(py, (double)0.5, (double)size - 1.5);
    c.x = (int)px;
    c.y = (int)py;
    c.wx = px - c.x;
    c.wy = py - c.y;
    return c;
}

static inline double sample(uniform double field[], uniform int stride, Corner c) {
    int at = c.y * stride + c.x;
    double low = field[at] * (1 - c.wx) + field[at + 1] * c.wx;
    double high = field[at + stride] * (1 - c.wx) + field[at + stride + 1] * c.wx;
    return low * (1 - c.wy) + high * c.wy;
}

// Particles add to the corners around them in integers, whose order does not matter.
static void to_grid(uniform Grid &g, uniform double at[], uniform double speed[], uniform int64 sums[], uniform int n) {
    uniform int64 weights[2 * all_faces], moments[2 * all_faces];
    foreach (k = 0 ... 2 * all_faces) { weights[k] = 0; moments[k] = 0; }
    for (uniform int axis = 0; axis < 2; axis++) {
        uniform int64 * uniform w = &weights[axis * all_faces];
        uniform int64 * uniform m = &moments[axis * all_faces];
        foreach (p = 0 ... n) {
            Corner c = corner_of(at[2 * p] + (axis ? (double)-0.5 : (double)0), at[2 * p + 1] + (axis ? (double)0 : (double)-0.5));
            for (uniform int dy = 0; dy < 2; dy++)
                for (uniform int dx = 0; dx < 2; dx++) {
                    double share = (dx ? c.wx : 1 - c.wx) * (dy ? c.wy : 1 - c.wy);
                    int64 parts = (int64)(share * FIXED);
                    int cell = (c.y + dy) * faces + c.x + dx;
                    atomic_add_global(&w[cell], parts);
                    atomic_add_global(&m[cell], (int64)(parts * speed[2 * p + axis]));
                }
        }
        uniform double * uniform field = axis ? g.v : g.u;
        foreach_tiled (y = 0 ... faces, x = 0 ... faces) {
            int64 weight = w[y * faces + x];
            field[y * faces + x] = weight > 0 ? (double)m[y * faces + x] / (double)weight : (double)0;
        }
    }
    foreach (p = 0 ... n) sums[3 * p] = weights[(int)at[2 * p + 1] * faces + (int)at[2 * p]];
}

static void mark(uniform Grid &g, uniform int solid[], uniform double at[], uniform int n) {
    foreach_tiled (y = 0 ... size, x = 0 ... size) {
        bool border = x == 0 || y == 0 || x == size - 1 || y == size - 1;
        g.kind[CELL(x, y)] = border || solid[CELL(x, y)] == 8 ? WALL : AIR;
    }
    foreach (p = 0 ... n) {
        int cell = CELL((int)at[2 * p], (int)at[2 * p + 1]);
        if (g.kind[cell] == AIR) g.kind[cell] = WATER;
    }
}

static void make_free_of_divergence(uniform Grid &g, uniform int sweeps) {
    uniform double * uniform u = g.u;
    uniform double * uniform v = g.v;
    for (uniform int s = 0; s < sweeps; s++)
        for (uniform int colour = 0; colour < 2; colour++)
            foreach_tiled (y = 1 ... size - 1, x = 1 ... size - 1) {
                if (((x + y) & 1) != colour || g.kind[CELL(x, y)] != WATER) continue;
                double left = g.kind[CELL(x - 1, y)] == WALL ? 0 : 1, right = g.kind[CELL(x + 1, y)] == WALL ? 0 : 1;
                double below = g.kind[CELL(x, y - 1)] == WALL ? 0 : 1, above = g.kind[CELL(x, y + 1)] == WALL ? 0 : 1;
                double open = left + right + below + above;
                if (open == 0) continue;
                double divergence = u[y * faces + x + 1] - u[y * faces + x] + v[(y + 1) * faces + x] - v[y * faces + x];
                double push = -divergence / open * 1.5;
                g.pressure[CELL(x, y)] += push;
                u[y * faces + x] -= left * push;
                u[y * faces + x + 1] += right * push;
                v[y * faces + x] -= below * push;
                v[(y + 1) * faces + x] += above * push;
            }
}

export void simulate(uniform int64 sums[], uniform double at[], uniform double speed[], uniform double pressure[], uniform double uv[], uniform int solid[], uniform int n, uniform int steps) {
    uniform int kind[size * size];
    uniform Grid g;
    g.pressure = pressure;
    g.u = uv;
    g.v = uv + all_faces;
    g.kind = kind;
    for (uniform int t = 0; t < steps; t++) {
        mark(g, solid, at, n);
        to_grid(g, at, speed, sums, n);
        make_free_of_divergence(g, 6);
        foreach (p = 0 ... n) {
            double x = at[2 * p], y = at[2 * p + 1];
            speed[2 * p] = sample(g.u, faces, corner_of(x, y - 0.5));
            speed[2 * p + 1] = sample(g.v, faces, corner_of(x - 0.5, y)) - 0.125;
            double step = 1;
            int tries = 0;
            while (tries < 4) {
                double nx = x + step * speed[2 * p], ny = y + step * speed[2 * p + 1];
                if (nx >= 1 && ny >= 1 && nx < size - 1 && ny < size - 1 && g.kind[CELL((int)nx, (int)ny)] != WALL) {
                    at[2 * p] = nx;
                    at[2 * p + 1] = ny;
                    break;
                }
                step = step * 0.5;
                tries++;
            }
            sums[3 * p + 1] += tries;
            sums[3 * p + 2] += g.kind[CELL((int)at[2 * p], (int)at[2 * p + 1])];
        }
    }
}

export void smoke(uniform float out[], uniform float density[], uniform float velocity[], uniform uint8 block[], uniform int width, uniform int height, uniform int steps) {
    uniform float * uniform from = density;
    uniform float * uniform to = out;
    for (uniform int s = 0; s < steps; s++) {
        foreach_tiled (y = 0 ... height, x = 0 ... width) {
            int at = y * width + x;
            float value = 0;
            if (block[at] != 0) {
                float px = clamp(x - velocity[2 * at], (float)0, (float)(width - 1));
                float py = clamp(y - velocity[2 * at + 1], (float)0, (float)(height - 1));
                int x0 = min((int)px, width - 2), y0 = min((int)py, height - 2);
                float fx = px - x0, fy = py - y0;
                float a = from[y0 * width + x0], b = from[y0 * width + x0 + 1];
                float c = from[(y0 + 1) * width + x0], d = from[(y0 + 1) * width + x0 + 1];
                value = (a + (b - a) * fx) * (1 - fy) + (c + (d - c) * fx) * fy;
            }
            to[at] = value;
        }
        uniform float * uniform t = from;
        from = to;
        to = t;
    }
}

static void relax(uniform double x[], uniform double b[], uniform int n, uniform int times) {
    for (uniform int t = 0; t < times; t++)
        for (uniform int colour = 0; colour < 2; colour++)
            foreach (j = 1 ... n - 1, i = 1 ... n - 1) {
                if (((i ^ j) & 1) == colour)
                    x[j * n + i] = 0.25 * (x[j * n + i - 1] + x[j * n + i + 1] + x[(j - 1) * n + i] + x[(j + 1) * n + i] - b[j * n + i]);
            }
}

// One cycle calls itself on grids of half the size, whose memory lies behind one another.
static void cycle(uniform double x[], uniform double b[], uniform double spare[], uniform int n) {
    if (n <= 3) { relax(x, b, n, 4); return; }
    relax(x, b, n, 2);
    uniform int half = n / 2 + 1;
    uniform double * uniform coarse = spare;
    uniform double * uniform rest = spare + half * half;
    foreach (j = 0 ... half, i = 0 ... half) {
        double r = 0;
        if (i > 0 && j > 0 && i < half - 1 && j < half - 1) {
            int at = 2 * j * n + 2 * i;
            r = b[at] - (x[at - 1] + x[at + 1] + x[at - n] + x[at + n] - 4 * x[at]);
        }
        rest[j * half + i] = r * 4;
        coarse[j * half + i] = 0;
    }
    cycle(coarse, rest, spare + 2 * half * half, half);
    foreach (j = 1 ... n - 1, i = 1 ... n - 1) {
        int at = (j / 2) * half + i / 2;
        double v = coarse[at];
        if (i % 2 != 0) v = 0.5 * (v + coarse[at + 1]);
        if (j % 2 != 0) {
            double w = coarse[at + half];
            if (i % 2 != 0) w = 0.5 * (w + coarse[at + half + 1]);
            v = 0.5 * (v + w);
        }
        x[j * n + i] += v;
    }
    relax(x, b, n, 2);
}
export void multigrid(uniform double x[], uniform double b[], uniform int cycles) {
    uniform double spare[(int)2 * 17 * 17 + (int)2 * 9 * 9 + (int)2 * 5 * 5 + 18];
    for (uniform int c = 0; c < cycles; c++) cycle(x, b, spare, 33);
}

export void volume_walls(uniform int16 out[], uniform int8 field[], uniform int nx, uniform int ny, uniform int nz, uniform int level) {
    foreach_tiled (z = 0 ... nz, y = 0 ... ny, x = 0 ... nx) {
        int at = (z * ny + y) * nx + x;
        int16 code = 0;
        if (field[at] < level) {
            for (uniform int axis = 0; axis < 3; axis++) {
                int place = axis == 0 ? x : axis == 1 ? y : z;
                int last = (axis == 0 ? nx : axis == 1 ? ny : nz) - 1;
                int step = axis == 0 ? (int)1 : axis == 1 ? nx : nx * ny;
                if (place < last && field[at + step] >= level) code |= (int16)((int)1 << (2 * axis));
                if (place > 0 && field[at - step] >= level) code |= (int16)((int)2 << (2 * axis));
            }
        } else code = (int16)-field[at];
        out[at] = code;
    }
}

// Particles sorted by cell: counted, summed, placed one after the other.
export void bins(uniform int starts[], uniform int order[], uniform double at[], uniform int n) {
    uniform int filled[257];
    foreach (k = 0 ... 257) { starts[k] = 0; filled[k] = 0; }
    foreach (p = 0 ... n) {
        int cell = (int)at[2 * p + 1] * 16 + (int)at[2 * p];
        atomic_add_global(&starts[cell + 1], (int)1);
    }
    for (uniform int k = 0; k < 256; k++) starts[k + 1] += starts[k];
    for (uniform int p = 0; p < n; p++) {
        uniform int cell = (uniform int)at[2 * p + 1] * 16 + (uniform int)at[2 * p];
        order[starts[cell] + filled[cell]++] = p;
    }
}

export void springs(uniform double at[], uniform double speed[], uniform int ends[], uniform double rest[], uniform int n, uniform int count, uniform int steps) {
    uniform double force[2 * 30];
    foreach (k = 0 ... n) { at[2 * k] = k % 6; at[2 * k + 1] = k / 6; }
    for (uniform int t = 0; t < steps; t++) {
        foreach (k = 0 ... n) { force[2 * k] = 0; force[2 * k + 1] = -0.01d; }
        for (uniform int s = 0; s < count; s++) {
            uniform int a = ends[2 * s], b = ends[2 * s + 1];
            if (a == b) continue;
            uniform double dx = at[2 * b] - at[2 * a], dy = at[2 * b + 1] - at[2 * a + 1];
            uniform double length = sqrt(dx * dx + dy * dy);
            if (!(length > 0)) continue;
            uniform double pull = (length - rest[s]) * 0.05d / length;
            for (uniform int axis = 0; axis < 2; axis++) {
                uniform double part = (axis == 0 ? dx : dy) * pull;
                force[2 * a + axis] += part;
                force[2 * b + axis] -= part;
            }
        }
        foreach (k = 0 ... 2 * n) {
            speed[k] = (speed[k] + force[k]) * 0.99d;
            at[k] += speed[k] * 0.1d;
        }
    }
}
