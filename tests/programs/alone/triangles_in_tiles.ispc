// claim: triangles sorted into tiles with packed stores and drawn by edge functions (Pineda 1988) give what each on every pixel gives
// where:
//   S = 16
//   def triangle(t):
//       x = [(t * 5 + 7 * k * k + t * k) % 41 / 2 - 2 for k in range(3)]; y = [(t * 11 + 13 * k + t * t) % 37 / 2 - 1 for k in range(3)]
//       turn = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
//       if turn < 0: x[1], x[2], y[1], y[2] = x[2], x[1], y[2], y[1]
//       edges = []
//       for k in range(3):
//           m = (k + 1) % 3
//           a, b = y[k] - y[m], x[m] - x[k]
//           edges.append((a, b, -a * x[k] - b * y[k]))
//       return edges, (t * 9 % 32) / 16 + 0.25, (t % 5 - 2) / 64, (t * 53 + 20) % 256, (t * 29 + 90) % 256, (t * 101) % 256, t % 4
//   all_ = [triangle(t) for t in range(30)]
//   def draw(x, y):
//       nearest, colour = 8.0, (0, 0, 0)
//       for edges, z0, slope, r, g, b, pattern in all_:
//           if all(a * (x + 0.5) + b * (y + 0.5) + c >= 0 for a, b, c in edges):
//               z = z0 + slope * (x - y)
//               if z < nearest and not (pattern == 3 and (x ^ y) & 1):
//                   nearest = z; light = min(max(1.25 - 0.5 * z, 0.25), 1)
//                   colour = tuple(int(c * light + 0.5) for c in (r, g, b))
//       return colour
// expect: [c[0] + 256 * c[1] + 65536 * c[2] for y in range(S) for x in range(S) for c in [draw(x, y)]]
#define S 16
#define TILE 8
#define COUNT 30

typedef float<3> colour;

// Planes of 'count' values each; three of them for the three edges.
struct Triangles {
    float *across, *down, *start;
    unsigned int16 *depth;
    float *slope;
    unsigned int8 *red;
    unsigned int8 *green;
    unsigned int8 *blue;
    int *pattern;
    int count;
};

struct Picture {
    unsigned int8 *rgb;
    int width, height;
};

// Those of which no edge has the whole tile on its outer side. A tile's corner is tried where the edge is most inside.
static uniform int sort_into_tile(const uniform Triangles &all, uniform int x0, uniform int x1, uniform int y0, uniform int y1,
                                  uniform int list[]) {
    uniform int found = 0;
    foreach (t = 0 ... all.count) {
        bool outside = false;
        for (uniform int edge = 0; edge < 3; ++edge) {
            int at = edge * all.count + t;
            float a = all.across[at], b = all.down[at];
            float x = a > 0 ? x1 : x0, y = b > 0 ? y1 : y0;
            outside |= a * x + b * y + all.start[at] < 0;
        }
        cif (!outside)
            found += packed_store_active(&list[found], t);
    }
    return found;
}

static inline unsigned int8 to_byte(float value) { return (unsigned int8)(int)(value + .5f); }

static void clear(uniform Picture &picture, uniform int x0, uniform int x1, uniform int y0, uniform int y1) {
    foreach (y = y0 ... y1, x = x0 ... x1)
        for (uniform int channel = 0; channel < 3; ++channel)
            picture.rgb[(y * picture.width + x) * 3 + channel] = 0;
}

static void draw_tile(const uniform Triangles &all, uniform Picture &picture, uniform int x0, uniform int x1, uniform int y0,
                      uniform int y1, const uniform int list[], uniform int listed) {
    if (listed == 0) {
        clear(picture, x0, x1, y0, y1);
        return;
    }
    for (uniform int y = y0; y < y1; ++y) {
        foreach (x = x0 ... x1) {
            float nearest = 8;
            float light[3] = { 0, 0, 0 };
            for (uniform int k = 0; k < listed; ++k) {
                uniform int t = list[k];
                float least = 0;
                for (uniform int edge = 0; edge < 3; ++edge) {
                    uniform int at = edge * all.count + t;
                    least = min(least, all.across[at] * (x + 0.5f) + (all.down[at] * (y + 0.5f) + all.start[at]));
                }
                cif (least >= 0) {
                    float z = half_to_float(all.depth[t]) + all.slope[t] * (x - y);
                    if (z >= nearest || (all.pattern[t] == 3 && ((x ^ y) & 1) != 0)) continue;
                    nearest = z;
                    colour own = { all.red[t], all.green[t], all.blue[t] };
                    own *= clamp(1.25f - 0.5f * z, 0.25f, 1.0f);
                    for (uniform int channel = 0; channel < 3; ++channel) light[channel] = own[channel];
                }
            }
            uniform unsigned int8 * varying pixel = &picture.rgb[3 * (y * picture.width + x)];
            for (uniform int channel = 0; channel < 3; ++channel)
                pixel[channel] = to_byte(light[channel]);
        }
    }
}

static task void draw(const uniform Triangles &all, uniform Picture &picture) {
    uniform int tiles_across = (picture.width + TILE - 1) / TILE;
    uniform int x0 = (uniform int)taskIndex % tiles_across * TILE, y0 = (uniform int)taskIndex / tiles_across * TILE;
    uniform int x1 = min(x0 + TILE, picture.width), y1 = min(y0 + TILE, picture.height);
    uniform int list[COUNT];
    uniform int listed = sort_into_tile(all, x0, x1, y0, y1, list);
    draw_tile(all, picture, x0, x1, y0, y1, list, listed);
}

static uniform float across[3 * COUNT], down[3 * COUNT], start[3 * COUNT], slope[COUNT];
static uniform uint16 depth[COUNT];
static uniform uint8 red[COUNT], green[COUNT], blue[COUNT];
static uniform int pattern[COUNT];
static uniform uint8 pixels[S * S * 3];

static void make_triangles() {
    foreach (t = 0 ... COUNT) {
        float x[3], y[3];
        for (uniform int k = 0; k < 3; ++k) {
            x[k] = (t * 5 + 7 * k * k + t * k) % 41 * 0.5f - 2;
            y[k] = (t * 11 + 13 * k + t * t) % 37 * 0.5f - 1;
        }
        if ((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]) < 0) {
            float other = x[1]; x[1] = x[2]; x[2] = other;
            other = y[1]; y[1] = y[2]; y[2] = other;
        }
        for (uniform int k = 0; k < 3; ++k) {
            uniform int next = (k + 1) % 3;
            across[k * COUNT + t] = y[k] - y[next];
            down[k * COUNT + t] = x[next] - x[k];
            start[k * COUNT + t] = (y[next] - y[k]) * x[k] - (x[next] - x[k]) * y[k];
        }
        depth[t] = (uint16)float_to_half((t * 9 % 32) * 0.0625f + 0.25f);
        slope[t] = (t % 5 - 2) * 0.015625;
        red[t] = t * 53 + 20;
        green[t] = t * 29 + 90;
        blue[t] = t * 101;
        pattern[t] = t % 4;
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    make_triangles();
    uniform Triangles all;
    all.across = across; all.down = &down[0]; all.start = start;
    all.depth = depth; all.slope = slope;
    all.red = red; all.green = green; all.blue = blue;
    all.pattern = pattern;
    all.count = COUNT;
    uniform Picture picture = { pixels, S, S };
    launch[(S / TILE) * (S / TILE)] draw(all, picture);
    sync;
    foreach (p = 0 ... S * S)
        out[p] = pixels[3 * p] + 256 * (int)pixels[3 * p + 1] + 65536 * (int)pixels[3 * p + 2];
}
