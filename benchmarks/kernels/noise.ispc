// Gradient noise summed over octaves: lattice gradients from an integer hash, quintic fade (Perlin 2002).
static inline unsigned int scramble(int x, int y) {
    unsigned int h = (unsigned int)x * 0x9E3779B1u ^ (unsigned int)y * 0x85EBCA77u;
    h ^= h >> 15;
    h *= 0xC2B2AE3Du;
    h ^= h >> 13;
    return h;
}

static inline float gradient(int x, int y, float dx, float dy) {
    unsigned int h = scramble(x, y);
    float u = h & 1 ? dx : dy, v = h & 1 ? dy : dx;
    return (h & 2 ? -u : u) + 0.5f * (h & 4 ? -v : v);
}

static inline float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }

static float noise(float x, float y) {
    float left = floor(x), top = floor(y);
    int ix = (int)left, iy = (int)top;
    float dx = x - left, dy = y - top;
    float u = fade(dx), v = fade(dy);
    float a = gradient(ix, iy, dx, dy), b = gradient(ix + 1, iy, dx - 1, dy);
    float c = gradient(ix, iy + 1, dx, dy - 1), d = gradient(ix + 1, iy + 1, dx - 1, dy - 1);
    float upper = a + u * (b - a), lower = c + u * (d - c);
    return upper + v * (lower - upper);
}

// Octaves stop early where the sum is already out of range: lanes take different numbers of steps.
export void turbulence(uniform float out[], uniform int width, uniform int height, uniform float scale,
                       uniform int octaves) {
    for (uniform int row = 0; row < height; ++row) {
        foreach (column = 0 ... width) {
            float x = column * scale, y = row * scale, sum = 0, weight = 1;
            for (int octave = 0; octave < octaves && sum < 1.2f; ++octave) {
                sum += weight * abs(noise(x, y));
                x *= 2;
                y *= 2;
                weight *= 0.5f;
            }
            out[row * width + column] = sum;
        }
    }
}
