// call: simulate: Z(200*4), F(200*8,-4,4), 200, 12
// call: soa_steps: Z(96*3,np.float32), F(96*6), 96, 7
// call: cloth: F(20*16*3), Z(20*16*3,np.float32), 20, 16, 6
// call: tridiagonal: D(60*33), D(60*33,4,6), D(60*33), 60, 33
// call: gauss: D(30*6*7,-3,3), Z(30*6,np.double), 30
// call: life3: I(12*12*12,0,2,np.uint8), Z(12*12*12,np.uint8), 12
struct Body { float x, y, vx, vy; float mass; uint8 state; int8 hits; bool frozen; int16 group; };
enum State { FREE, TOUCHING = 3, STUCK, GONE = 200 };
static inline void bounce(float &p, float &v, uniform float low, uniform float high, int8 &hits) {
    if (p < low) { p = low + (low - p); v = -v * 0.5f; hits++; }
    else if (p > high) { p = high - (p - high); v = -v * 0.5f; hits++; }
}
template <typename T> static inline void exchange(T &a, T &b) { T t = a; a = b; b = t; }
typedef float (*Force)(float, float);
static float spring(float distance, float mass) { return -distance * 0.25f * mass; }
static float drag(float distance, float mass) { return distance > 0 ? -0.125f : 0.125f; }
static float none_at_all(float distance, float mass) { return 0; }
static inline Body moved(Body b, uniform float dt, Force force) {
    if (!b.frozen) {
        b.vx += force(b.x, b.mass) * dt;
        b.vy += (force(b.y, b.mass) - 1.0f) * dt;
        b.x += b.vx * dt;
        b.y += b.vy * dt;
        bounce(b.x, b.vx, -4, 4, b.hits);
        bounce(b.y, b.vy, -4, 4, b.hits);
        if (b.hits > 3) { b.state = STUCK; b.frozen = b.hits > 6; }
        else if (b.hits > 0) b.state = TOUCHING;
    }
    return b;
}
export void simulate(uniform int out[], uniform float given[], uniform int n, uniform int steps) {
    foreach (i = 0 ... n) {
        Body b;
        b.x = given[i * 8]; b.y = given[i * 8 + 1]; b.vx = given[i * 8 + 2]; b.vy = given[i * 8 + 3];
        b.mass = 1 + abs(given[i * 8 + 4]);
        b.state = FREE; b.hits = 0; b.frozen = given[i * 8 + 5] > 3.5f; b.group = (int16)(i * 331);
        Force force = i % 3 == 0 ? spring : i % 3 == 1 ? drag : none_at_all;
        for (uniform int k = 0; k < steps; k++) {
            b = moved(b, 0.125f + (k & 1) * 0.25f, force);
            if (b.state == STUCK && k > 8) { exchange(b.x, b.y); exchange(b.vx, b.vy); }
            b.group ^= (int16)(b.hits << 3);
            b.group += 1000;
        }
        out[i * 4] = (int)(b.x * 1024.0f);
        out[i * 4 + 1] = (int)(b.y * 1024.0f);
        out[i * 4 + 2] = b.state * 256 + b.hits + (b.frozen ? 1000000 : 0);
        out[i * 4 + 3] = b.group;
    }
}
struct Particle { float p[3]; float v[3]; int age; };
static soa<8> Particle particles[96];
export void soa_steps(uniform float out[], uniform float given[], uniform int n, uniform int steps) {
    foreach (i = 0 ... n) {
        for (uniform int k = 0; k < 3; k++) { particles[i].p[k] = given[i * 6 + k]; particles[i].v[k] = given[i * 6 + 3 + k]; }
        particles[i].age = i & 3;
    }
    for (uniform int s = 0; s < steps; s++)
        foreach (i = 0 ... n) {
            if (particles[i].age > 2 + s) continue;
            float length2 = 0;
            for (uniform int k = 0; k < 3; k++) length2 += particles[i].p[k] * particles[i].p[k];
            float pull = length2 > 0.5f ? -0.5f : 0.25f;
            for (uniform int k = 0; k < 3; k++) {
                particles[i].v[k] += particles[i].p[k] * pull;
                particles[i].p[k] += particles[i].v[k] * 0.0625f;
            }
            if (length2 > 2) particles[i].age++;
        }
    foreach (i = 0 ... n)
        for (uniform int k = 0; k < 3; k++) out[i * 3 + k] = particles[i].p[k] + particles[i].age;
}
export void cloth(uniform float at[], uniform float next[], uniform int w, uniform int h, uniform int steps) {
    for (uniform int s = 0; s < steps; s++) {
        uniform float * uniform from = (s & 1) ? next : at;
        uniform float * uniform to = (s & 1) ? at : next;
        foreach (y = 0 ... h, x = 0 ... w) {
            for (uniform int k = 0; k < 3; k++) {
                float self = from[(y * w + x) * 3 + k], pull = 0;
                if (x > 0) pull += from[(y * w + x - 1) * 3 + k] - self;
                if (x < w - 1) pull += from[(y * w + x + 1) * 3 + k] - self;
                if (y > 0) pull += from[((y - 1) * w + x) * 3 + k] - self;
                if (y + 1 < h) pull += from[((y + 1) * w + x) * 3 + k] - self;
                to[(y * w + x) * 3 + k] = (x % 5 == 0 && y == 0) ? self : self + pull * 0.125f;
            }
        }
    }
}
// One system a lane; Thomas's algorithm.
export void tridiagonal(uniform double lower[], uniform double diagonal[], uniform double right[], uniform int systems, uniform int n) {
    foreach (s = 0 ... systems) {
        double c[33];
        int base = s * n;
        double previous = 0, value = 0;
        for (uniform int k = 0; k < n; k++) {
            double a = k > 0 ? lower[base + k] : 0.0d;
            double m = diagonal[base + k] - a * previous;
            c[k] = lower[base + n - 1 - k] / m;
            value = (right[base + k] - a * value) / m;
            right[base + k] = value;
            previous = c[k];
        }
        for (uniform int k = n - 2; k >= 0; k--) right[base + k] -= c[k] * right[base + k + 1];
    }
}
export void gauss(uniform double systems[], uniform double solved[], uniform int count) {
    foreach (s = 0 ... count) {
        double m[6][7];
        for (uniform int r = 0; r < 6; r++) for (uniform int c = 0; c < 7; c++) m[r][c] = systems[(s * 6 + r) * 7 + c];
        bool singular = false;
        for (uniform int k = 0; k < 6; k++) {
            int pivot = k;
            for (uniform int r = k + 1; r < 6; r++) if (abs(m[r][k]) > abs(m[pivot][k])) pivot = r;
            if (pivot != k) for (uniform int c = 0; c < 7; c++) { double t = m[k][c]; m[k][c] = m[pivot][c]; m[pivot][c] = t; }
            if (abs(m[k][k]) < 1.0e-3d) { singular = true; break; }
            for (uniform int r = 0; r < 6; r++) {
                if (r == k) continue;
                double f = m[r][k] / m[k][k];
                for (uniform int c = k; c < 7; c++) m[r][c] -= f * m[k][c];
            }
        }
        for (uniform int k = 0; k < 6; k++) solved[s * 6 + k] = singular ? -1.0d : m[k][6] / m[k][k];
    }
}
export void life3(uniform uint8 cells[], uniform uint8 next[], uniform int n) {
    foreach (z = 0 ... n, y = 0 ... n, x = 0 ... n) {
        uint8 count = 0;
        for (uniform int dz = -1; dz <= 1; dz++) for (uniform int dy = -1; dy <= 1; dy++) for (uniform int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0 && dz == 0) continue;
            int nx = (x + dx + n) % n, ny = (y + dy + n) % n, nz = z + dz;
            if (nz < 0 || nz >= n) continue;
            count += cells[(nz * n + ny) * n + nx];
        }
        next[(z * n + y) * n + x] = (count == 13 || (count > 8 && count < 12 && cells[(z * n + y) * n + x])) ? 1 : 0;
    }
}
