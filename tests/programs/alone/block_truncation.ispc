// claim: 4x4 blocks are coded by two levels that keep mean and deviation (Delp and Mitchell 1979), or the extremes if those are nearer: a block per lane, as block by block
// where:
//   def px(x, y): return [(x * 16 + y * 3) & 255, (x * y * 5) & 255, 255 - ((x * 7) & 127), 255 if (x + 3 * y) % 11 else 40]
//   def weigh(p): return (p[0] * 5 + p[1] * 9 + p[2] * 2) >> 4
//   def block(bx, by):
//       p = [px(bx * 4 + k % 4, by * 4 + k // 4) for k in range(16)]
//       grey = [min(255, weigh(q) + 24) if q[3] == 255 else max(0, weigh(q) - 24) for q in p]
//       total, squares = sum(grey), sum(v * v for v in grey)
//       bits = sum((16 * v >= total) << k for k, v in enumerate(grey))
//       ones = bits.bit_count()
//       spread = math.isqrt(16 * squares - total * total)
//       if spread == 0 or ones == 16: tried = [(total // 16, total // 16)]
//       else:
//           low = (total - math.isqrt(spread * spread * ones // (16 - ones))) // 16
//           high = (total + math.isqrt(spread * spread * (16 - ones) // ones)) // 16
//           tried = [(max(low, 0), min(high, 255))]
//       tried.append((min(grey), max(grey)))
//       errors = [sum(abs(v - t[bits >> k & 1]) for k, v in enumerate(grey)) for t in tried]
//       best = errors.index(min(errors))
//       return *tried[best], bits, errors[best]
//   blocks = [block(b % 8, b // 8) for b in range(64)]
// expect: [b[0] for b in blocks], [b[1] for b in blocks], [b[2] for b in blocks], [b[3] for b in blocks]
struct Surface {
    uint8 *pixels;
    int columns, rows, bytes_a_row;
};

struct Moments { int total, squares; uint8 least, most; };
struct Levels { int level[2]; };

// Whole root by halving: the greatest r with r * r <= v.
inline unsigned int whole_root(unsigned int v) {
    unsigned int root = 0;
    for (uniform unsigned int bit = 1u << 15; bit != 0; bit >>= 1) {
        unsigned int tried = root | bit;
        root = tried * tried <= v ? tried : root;
    }
    return root;
}

// The 16 pixels of a block as bytes of brightness; transparent ones are darker, the others brighter.
inline void read_block(uint8 grey[4][4], int column, uniform int row, const uniform Surface * uniform from) {
    for (uniform int y = 0; y < 4; y++) {
        const uniform unsigned int32 * uniform line = (uniform unsigned int32 * uniform)(from->pixels + (row * 4 + y) * from->bytes_a_row);
        for (uniform int x = 0; x < 4; x++) {
            unsigned int32 pixel = line[column * 4 + x];
            uint8 channel[4];
            for (uniform int c = 0; c < 4; c++) channel[c] = (uint8)(pixel >> (8 * c));
            uint8 weighed = (uint8)((channel[0] * 5 + channel[1] * 9 + channel[2] * 2) >> 4), more = 24;
            grey[y][x] = channel[3] == 255 ? saturating_add(weighed, more) : saturating_sub(weighed, more);
        }
    }
}

inline void add_row(Moments &m, const uint8 row[4]) {
    for (uniform int x = 0; x < 4; x++) {
        int value = row[x];
        m.total += value;
        m.squares += value * value;
        m.least = min(m.least, row[x]);
        m.most = max(m.most, row[x]);
    }
}

inline uint16 pattern_of(const uint8 grey[4][4], const Moments &m) {
    uint16 bits = 0;
    for (uniform int y = 3; y >= 0; --y)
        for (uniform int x = 3; x >= 0; --x)
            bits = (bits << 1) | (16 * (int)grey[y][x] >= m.total ? 1 : 0);
    return bits;
}

inline Levels levels_of(const Moments &m, int ones) {
    Levels r;
    unsigned int spread = whole_root(16 * m.squares - m.total * m.total);
    if (spread == 0 || ones == 16) {
        r.level[0] = r.level[1] = m.total >> 4;
        return r;
    }
    unsigned int64 square = (unsigned int64)spread * spread;
    int down = whole_root((unsigned int)(square * ones / (16 - ones))), up = whole_root((unsigned int)(square * (16 - ones) / ones));
    r.level[0] = max((m.total - down) >> 4, 0);
    r.level[1] = min((m.total + up) >> 4, 255);
    return r;
}

inline unsigned int error_of(const uint8 grey[4][4], const Levels &levels, unsigned int bits) {
    unsigned int sum = 0;
    for (uniform int k = 0; k < 16; k++) {
        int apart = grey[k / 4][k % 4] - levels.level[(bits >> k) & 1];
        sum += apart < 0 ? -apart : apart;
    }
    return sum;
}

static void code_block(int column, uniform int row, const uniform Surface * uniform from, uniform uint32 coded[]) {
    uint8 grey[4][4];
    read_block(grey, column, row, from);
    Moments m = { 0, 0, 255, 0 };
    for (uniform int y = 0; y < 4; y++) add_row(m, grey[y]);
    uint16 bits = pattern_of(grey, m);
    Levels tried[2];
    tried[0] = levels_of(m, popcnt((int)bits));
    tried[1].level[0] = m.least;
    tried[1].level[1] = m.most;
    Levels levels = tried[0];
    unsigned int least_error = error_of(grey, tried[0], bits);
    if (error_of(grey, tried[1], bits) < least_error) {
        levels = tried[1];
        least_error = error_of(grey, tried[1], bits);
    }
    uniform uint32 * varying to = &coded[(row * (from->columns >> 2) + column) * 2];
    to[0] = levels.level[0] | (levels.level[1] << 8) | ((uint32)bits << 16);
    to[1] = least_error;
}

static uniform uint8 pixels[32 * 32 * 4];
static uniform uint32 coded[64 * 2];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Surface surface = { pixels, 32, 32, 128 };
    foreach (y = 0 ... 32, x = 0 ... 32) {
        uniform uint8 * varying p = surface.pixels + y * surface.bytes_a_row + x * 4;
        p[0] = x * 16 + y * 3;
        p[1] = x * y * 5;
        p[2] = 255 - ((x * 7) & 127);
        p[3] = (x + 3 * y) % 11 != 0 ? 255 : 40;
    }
    for (uniform int row = 0; row < surface.rows / 4; row++)
        foreach (column = 0 ... surface.columns / 4)
            code_block(column, row, &surface, coded);
    foreach (b = 0 ... 64) {
        out[b] = coded[2 * b] & 0xff;
        out[64 + b] = coded[2 * b] >> 8 & 0xff;
        out[128 + b] = coded[2 * b] >> 16;
        out[192 + b] = coded[2 * b + 1];
    }
}
