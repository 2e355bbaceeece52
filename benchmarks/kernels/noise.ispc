// Gradient noise summed over octaves: lattice gradients from an integer hash, quintic fade (Perlin 2002).
static inline unsigned int scramble(int x, int y) {
    unsigned int h = ((unsigned int)x * 0x6F4F2A35u + (unsigned int)y) * 0xA3D8B1C7u;
    h = (h ^ h >> 16) * 0x5E2D58B3u;
    return h ^ h >> 14;
}

// The slopes along x and y are 16 bits of the hash each, in -1 to 1.
static inline float gradient(int x, int y, float dx, float dy) {
    unsigned int h = scramble(x, y);
    float along_x = (int)(h & 0xffff) - 32768, along_y = (int)(h >> 16) - 32768;
    return (along_x * dx + along_y * dy) * (1.0f / 32768);
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

// Octaves stop early where the sum is bright enough already (one point in five of the benchmark): lanes take different
// numbers of steps.
export void turbulence(uniform float out[], uniform int width, uniform int height, uniform float scale,
                       uniform int octaves) {
    for (uniform int row = 0; row < height; ++row) {
        foreach (column = 0 ... width) {
            float x = column * scale, y = row * scale, sum = 0, weight = 1;
            for (int octave = 0; octave < octaves && sum < 0.4f; ++octave) {
                sum += weight * abs(noise(x, y));
                x *= 2;
                y *= 2;
                weight *= 0.5f;
            }
            out[row * width + column] = sum;
        }
    }
}
