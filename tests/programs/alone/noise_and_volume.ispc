// claim: gradient noise, fractal sums under divergence, a ray marched volume with early exit, options priced on a lattice
// where:
//   P = [(k * 151 + 57) % 256 for k in range(256)] * 2
//   fade = lambda t: t * t * t * (t * (t * 6 - 15) + 10)
//   lerp = lambda t, a, b: a + t * (b - a)
//   def grad(h, x, y, z):
//       h &= 15
//       u = x if h < 8 else y
//       v = y if h < 4 else (x if h in (12, 14) else z)
//       return (u if h & 1 == 0 else -u) + (v if h & 2 == 0 else -v)
//   def noise(x, y, z):
//       X, Y, Z = math.floor(x) & 255, math.floor(y) & 255, math.floor(z) & 255
//       x -= math.floor(x); y -= math.floor(y); z -= math.floor(z)
//       u, v, w = fade(x), fade(y), fade(z)
//       A = P[X] + Y; AA = P[A] + Z; AB = P[A + 1] + Z; B = P[X + 1] + Y; BA = P[B] + Z; BB = P[B + 1] + Z
//       return lerp(w, lerp(v, lerp(u, grad(P[AA], x, y, z), grad(P[BA], x - 1, y, z)), lerp(u, grad(P[AB], x, y - 1, z), grad(P[BB], x - 1, y - 1, z))),
//           lerp(v, lerp(u, grad(P[AA + 1], x, y, z - 1), grad(P[BA + 1], x - 1, y, z - 1)), lerp(u, grad(P[AB + 1], x, y - 1, z - 1), grad(P[BB + 1], x - 1, y - 1, z - 1))))
//   def turbulence(k):
//       s, a, x = 0.0, 1.0, (k * 0.37, k * 0.11 + 0.5, 1.25)
//       for o in range(k % 4 + 1):
//           s += a * abs(noise(*x)); a *= 0.5; x = tuple(2 * c for c in x)
//       return s
//   D = lambda x, y, z: max(0.0, 1 - ((x - 4) ** 2 + (y - 4) ** 2 + (z - 4) ** 2) / 12)
//   def march(px, py):
//       t, light = 1.0, 0.0
//       for s in range(32):
//           d = D(px, py, s * 0.25)
//           if d <= 0: continue
//           light += t * d * 0.25; t *= 1 - 0.5 * d
//           if t < 0.05: break
//       return light
//   def lattice(k):
//       S, X, T, r, v, N = 90.0 + k, 100.0, 1.0, 0.02, 0.3, 16
//       dt = T / N; u = math.exp(v * math.sqrt(dt)); dd = 1 / u; disc = math.exp(r * dt); pu = (disc - dd) / (u - dd)
//       V = [max(0.0, X - S * u ** (2 * j - N)) for j in range(N + 1)]
//       for s in range(N - 1, -1, -1):
//           V = [max((pu * V[j + 1] + (1 - pu) * V[j]) / disc, X - S * u ** (2 * j - s)) for j in range(s + 1)]
//       return V[0]
// expect: [noise(k * 0.3, k * 0.7 + 0.1, 0.6 - k * 0.2) for k in range(64)], [turbulence(k) for k in range(32)], [march(k % 8, k // 8) for k in range(64)], [lattice(k) for k in range(16)]
// tolerance: 1e-4
typedef float<3> vec3;
static uniform int permutation[512];

static inline float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
static inline float lerp(float t, float a, float b) { return a + t * (b - a); }
static inline float gradient(int hash, float x, float y, float z) {
    int h = hash & 15;
    float u = h < 8 ? x : y;
    float v = h < 4 ? y : (h == 12 || h == 14 ? x : z);
    return ((h & 1) == 0 ? u : -u) + ((h & 2) == 0 ? v : -v);
}

static float noise(vec3 p) {
    float fx = floor(p.x), fy = floor(p.y), fz = floor(p.z);
    int X = (int)fx & 255, Y = (int)fy & 255, Z = (int)fz & 255;
    float x = p.x - fx, y = p.y - fy, z = p.z - fz;
    float u = fade(x), v = fade(y), w = fade(z);
    int A = permutation[X] + Y;
    int AA = permutation[A] + Z, AB = permutation[A + 1] + Z;
    int B = permutation[X + 1] + Y;
    int BA = permutation[B] + Z, BB = permutation[B + 1] + Z;
    return lerp(w, lerp(v, lerp(u, gradient(permutation[AA], x, y, z), gradient(permutation[BA], x - 1, y, z)),
                        lerp(u, gradient(permutation[AB], x, y - 1, z), gradient(permutation[BB], x - 1, y - 1, z))),
                lerp(v, lerp(u, gradient(permutation[AA + 1], x, y, z - 1), gradient(permutation[BA + 1], x - 1, y, z - 1)),
                     lerp(u, gradient(permutation[AB + 1], x, y - 1, z - 1), gradient(permutation[BB + 1], x - 1, y - 1, z - 1))));
}

static float turbulence(vec3 p, int octaves) {
    float sum = 0, amplitude = 1;
    for (int o = 0; o < octaves; ++o) {
        sum += amplitude * abs(noise(p));
        amplitude *= 0.5f;
        p *= 2.0f;
    }
    return sum;
}

struct Volume {
    uniform float * uniform data;
    uniform int size[3];
};

static inline float density(const uniform Volume &v, int x, int y, float z) {
    return v.data[(y * v.size[0] + x) * v.size[2] + (int)(z * 4)];
}

static float march(const uniform Volume &volume, int x, int y) {
    float transmittance = 1, light = 0;
    for (uniform int s = 0; s < volume.size[2]; s++) {
        float d = density(volume, x, y, s * 0.25f);
        if (d <= 0) continue;
        light += transmittance * d * 0.25f;
        transmittance *= 1 - 0.5f * d;
        cif (transmittance < 0.05f)
            break;
    }
    return light;
}

#define STEPS 16
static float american(float S, uniform float X, uniform float T, uniform float r, uniform float v) {
    float V[STEPS + 1], price[2 * STEPS + 1];
    uniform float dt = T / STEPS;
    uniform float u = exp(v * sqrt(dt));
    uniform float disc = exp(r * dt);
    uniform float Pu = (disc - 1 / u) / (u - 1 / u);
    for (uniform int j = -STEPS; j <= STEPS; ++j) price[j + STEPS] = S * pow(u, (uniform float)j);
    for (uniform int j = 0; j <= STEPS; ++j) V[j] = max(0.0f, X - price[2 * j]);
    for (uniform int s = STEPS - 1; s >= 0; --s)
        for (uniform int j = 0; j <= s; ++j)
            V[j] = max((Pu * V[j + 1] + (1 - Pu) * V[j]) / disc, X - price[2 * j - s + STEPS]);
    return V[0];
}

static uniform float field[8 * 8 * 32];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 512) permutation[k] = ((k & 255) * 151 + 57) % 256;
    foreach (k = 0 ... 64) {
        vec3 p = { k * 0.3f, k * 0.7f + 0.1f, 0.6f - k * 0.2f };
        out[k] = noise(p);
    }
    foreach (k = 0 ... 32) {
        vec3 p = { k * 0.37f, k * 0.11f + 0.5f, 1.25f };
        out[64 + k] = turbulence(p, k % 4 + 1);
    }
    foreach (y = 0 ... 8, x = 0 ... 8, z = 0 ... 32) {
        float dx = x - 4, dy = y - 4, dz = z * 0.25f - 4;
        field[(y * 8 + x) * 32 + z] = max(0.0f, 1 - (dx * dx + dy * dy + dz * dz) / 12);
    }
    uniform Volume volume = { field, { 8, 8, 32 } };
    foreach_tiled (y = 0 ... 8, x = 0 ... 8) out[96 + y * 8 + x] = march(volume, x, y);
    foreach (k = 0 ... 16) out[160 + k] = american(90.0f + k, 100, 1, 0.02, 0.3);
}
