// claim: distances in a cellular texture, sums of it under divergence, light through fog with an early exit, and the worth of stopping
// where:
//   table = [(k * 29 + 11) % 64 for k in range(64)]
//   def near(p):
//       cell = [math.floor(c) for c in p]
//       found = []
//       for dz in (-1, 0, 1):
//           for dy in (-1, 0, 1):
//               for dx in (-1, 0, 1):
//                   x, y, z = cell[0] + dx, cell[1] + dy, cell[2] + dz
//                   h = table[(table[(table[x & 63] + y) & 63] + z) & 63]
//                   q = (x + 0.125 + h % 4 / 4, y + 0.125 + h // 4 % 4 / 4, z + 0.125 + h // 16 / 4)
//                   found.append(math.dist(p, q))
//       return sorted(found)[:2]
//   places = [(k * 0.3 - 4, k * 0.7 + 0.1, 0.6 - k * 0.2) for k in range(64)]
//   def layers(k):
//       p, weight, total = np.array([k * 0.37, k * 0.11 + 0.5, 1.25]), 1.0, 0.0
//       for j in range(k % 4 + 1):
//           total += weight * near(p)[0]; weight *= 0.5; p = p * 2 + 0.375
//       return total
//   fog = lambda x, y, z: max(0.0, abs(math.sin(x + 0.5 * y)) - 0.25 - 0.0625 * abs(z - 12))
//   def light(x, y):
//       through, sum = 1.0, 0.0
//       for z in range(24):
//           d = fog(x, y, z)
//           if d == 0: continue
//           sum += through * d * 0.5; through *= math.exp(-0.75 * d)
//           if through < 0.0625: break
//       return sum
//   def urn(plus, minus, win, keep):
//       if plus == 0: return 0.0
//       if minus == 0: return win + keep * urn(plus - 1, 0, win, keep)
//       all_ = plus + minus
//       return max(0.0, (plus * (win + keep * known(plus - 1, minus, win, keep)) + minus * (keep * known(plus, minus - 1, win, keep) - 1)) / all_)
//   import functools
//   known = functools.cache(urn)
// expect: [near(p)[0] for p in places], [near(p)[1] for p in places], [layers(k) for k in range(32)], [light(k % 8, k // 8) for k in range(64)], [known(8, k % 12, 1.0625 ** (k - 8), math.exp(-0.02)) for k in range(32)]
// tolerance: 1e-4
typedef float<3> vec;
static uniform int table[64];

// One point in each cell of a grid (Worley 1996): the distances to the nearest and to the second.
static void distances(const vec p, float &nearest, float &second) {
    int cell[3];
    for (uniform int axis = 0; axis < 3; ++axis) cell[axis] = (int)floor(p[axis]);
    nearest = second = 1e6;
    for (uniform int dx = -1; dx <= 1; ++dx) {
        int row = table[(cell[0] + dx) & 63] + cell[1];
        for (uniform int dy = -1; dy <= 1; ++dy) {
            int column = table[(row + dy) & 63] + cell[2];
            for (uniform int dz = -1; dz <= 1; ++dz) {
                int which = table[(column + dz) & 63];
                vec apart = { cell[0] + dx + (which & 3) * 0.25f, cell[1] + dy + (which >> 2 & 3) * 0.25f, cell[2] + dz + (which >> 4) * 0.25f };
                apart += 0.125f - p;
                apart *= apart;
                float distance = apart.x + apart.y + apart.z;
                second = min(second, max(nearest, distance));
                nearest = min(nearest, distance);
            }
        }
    }
    nearest = sqrt(nearest);
    second = sqrt(second);
}

static float layers(vec p, int count) {
    float sum = 0, weight = 1, here, unused;
    while (count-- > 0) {
        distances(p, here, unused);
        sum += weight * here;
        weight *= 0.5f;
        p *= 2.0f;
        p += 0.375f;
    }
    return sum;
}

struct Fog {
    uniform float * uniform density;
    uniform int size[3];
};

static inline float density(const uniform Fog &fog, int x, int y, uniform int z) {
    return fog.density[(y * fog.size[0] + x) * fog.size[2] + z];
}

static float light_through(const uniform Fog &fog, int x, int y) {
    float through = 1, sum = 0;
    for (uniform int z = 0; z < fog.size[2]; z++) {
        const float here = density(fog, x, y, z);
        if (here == 0) continue;
        sum += 0.5f * through * here;
        through *= exp(-0.75f * here);
        cif (through < 0.0625f)
            break;
    }
    return sum;
}

// An urn with balls that win and balls that lose 1, drawn for as long as one likes (Shepp 1969): what that is worth,
// when every draw makes the rest count a little less.
#define MOST_PLUS 8
#define MOST_MINUS 12
static float worth_of_urn(int minus, float win, uniform float keep) {
    float worth[MOST_PLUS + 1];
    worth[0] = 0;
    for (uniform int plus = 1; plus <= MOST_PLUS; ++plus) worth[plus] = win + keep * worth[plus - 1];
    float result = worth[MOST_PLUS];
    for (uniform int m = 1; m < MOST_MINUS; ++m) {
        for (uniform int plus = 1; plus <= MOST_PLUS; ++plus) {
            float draw = (plus * (win + keep * worth[plus - 1]) + m * (keep * worth[plus] - 1)) / (plus + m);
            worth[plus] = max(0.0f, draw);
        }
        if (m == minus) result = worth[MOST_PLUS];
    }
    return result;
}

static uniform float field[8 * 8 * 24];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 64) table[k] = (k * 29 + 11) % 64;
    foreach (k = 0 ... 64) {
        vec p = { k * 0.3f - 4, k * 0.7f + 0.1f, 0.6f - k * 0.2f };
        float nearest, second;
        distances(p, nearest, second);
        out[k] = nearest;
        out[64 + k] = second;
    }
    foreach (k = 0 ... 32) {
        vec p = { k * 0.37f, k * 0.11f + 0.5f, 1.25f };
        out[128 + k] = layers(p, k % 4 + 1);
    }
    foreach (y = 0 ... 8, x = 0 ... 8, z = 0 ... 24)
        field[(y * 8 + x) * 24 + z] = max(0.0f, abs(sin(x + 0.5f * y)) - 0.25f - 0.0625f * abs(z - 12));
    uniform Fog fog = { field, { 8, 8, 24 } };
    foreach_tiled (y = 0 ... 8, x = 0 ... 8) out[160 + y * 8 + x] = light_through(fog, x, y);
    uniform float keep = exp(-0.02f);
    foreach (k = 0 ... 32) out[224 + k] = worth_of_urn(k % 12, pow(1.0625f, (float)k - 8), keep);
}
